import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Sent, send } from './support/http.ts'
import { type LocalServer, startServer } from './support/server.ts'

const readmes = globSync(['README.md', '{infra,shared,test}/**/README.md'], { exclude: ['**/node_modules/**'] })

/** The commands in `console` blocks, each with the output that is shown below it. */
const examples = readmes
  .flatMap((file) => [...readFileSync(file, 'utf8').matchAll(/^```console\n(.*?)^```$/gms)])
  .flatMap(([, block = '']) => block.split(/^\$ /m).slice(1))
  .map((example): [string, string] => [example.split('\n')[0] ?? '', example.split('\n').slice(1).join('\n').trim()])

let server: LocalServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.stop())

/** The ids of the pets that the examples have added, by the ids that the READMEs show. */
const ids = new Map<string, string>()
const idIn = (text: string): string => /"id":(\d+)/.exec(text)?.[1] ?? ''

/** Reads a curl command, with the options that the READMEs use. */
const requestOf = (command: string): Sent => {
  const words = [...command.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map(
    ([, raw, quoted = '', bare = quoted]) =>
      raw ??
      bare
        .replace('$API', '')
        .replace('$KEY', server.apiKey)
        .replace(/\d{15}/, (id) => ids.get(id) ?? id),
  )
  const valuesOf = (option: string) => words.filter((_, i) => words[i - 1] === option)
  const [body] = valuesOf('-d')
  const [method = body === undefined ? 'GET' : 'POST'] = valuesOf('-X')
  const headers = Object.fromEntries(valuesOf('-H').map((header) => header.split(': ')))
  return { method, path: words.find((word) => word.startsWith('/')) ?? '', headers, ...(body && { body }) }
}

/** Removes what differs from run to run. */
const same = (text: string): string =>
  text
    .replaceAll(/"id":\d+/g, '"id":1')
    .replaceAll(/pets\/\d{9,}/g, 'pets/1')
    .replaceAll(/cursor=[\w-]+/g, 'cursor=x')
    .replaceAll(/127.0.0.1:\d+/g, '127.0.0.1:3000')
    .replaceAll(/(x-request-id: )\S+/gi, '$1x')

test.each(readmes)('%s names only files that exist, besides those of the operation that it adds', (readme) => {
  const text = readFileSync(readme, 'utf8')
  const links = [...text.matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(([, name = '']) => join(dirname(readme), name))
  const names = [...text.matchAll(/`((?:functions|shared|infra|test)\/[\w./-]+)`/g)].map(([, name = '']) => name)

  const added = ['functions/listNames.ts', 'test/api/list-names.test.ts']
  expect([...links, ...names].filter((name) => !existsSync(name) && !added.includes(name))).toEqual([])
})

test('the READMEs show examples', () => {
  expect(examples.length).toBeGreaterThan(6)
})

test.each(examples)('%s prints what the README shows', async (command, expected) => {
  const { status, headers, text } = await send(server.baseUrl, requestOf(command))
  ids.set(idIn(expected), idIn(text))

  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  const [head = '', body = head] = expected.split('\n\n')
  const [statusLine, ...headerLines] = head === body ? [] : head.split('\n')
  expect(same(text)).toBe(same(body))
  expect(lines.map(same)).toEqual(expect.arrayContaining(headerLines.map(lowerName).map(same)))
  if (statusLine) expect(statusLine).toContain(`HTTP/1.1 ${status} `)
})

const lowerName = (line: string): string => line.replace(/^[^:]+/, (name) => name.toLowerCase())
