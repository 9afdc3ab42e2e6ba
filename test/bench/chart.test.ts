import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

test('the chart of cold starts shows the run of the benchmark', () => {
  const readme = readFileSync('test/README.md', 'utf8')
  const [, chart = ''] = /^```mermaid\n(.*?)^```$/ms.exec(readme) ?? []
  const [names = [], times = []] = [...chart.matchAll(/\[.*\]/g)].map(([list]): unknown[] =>
    JSON.parse(list),
  )
  const rows = readme.matchAll(/^(\S+(?: \S+)*) {2,}\S+ +\S+ +(\S+).*$/gm)
  const measured = new Map([...rows].reverse().map(([, name, total]) => [name, Number(total)]))

  expect(names.length).toBeGreaterThan(3)
  expect(times).toEqual(names.map((name) => measured.get(String(name))))
})
