import { expect, test } from 'vitest'
import { comparison } from './comparison.ts'
import { figures, machine } from './figures.ts'

const run = (load: number, bundle: number, speed: number, more: object = {}) => ({
  machine,
  figures: [
    ...figures('cold', 'ms', { getPet: { load, ...more } }),
    ...figures('cold', 'KB', { getPet: { bundle } }),
    ...figures('local', 'per s', { server: { requests: speed } }),
  ],
  reach: [],
})

const marksOf = (text: string): string[][] =>
  text
    .split('\n')
    .filter((line) => /^(cold|local): /.test(line))
    .map((line) => line.split(/ {2,}/))

test('shows each figure beside the saved one', () => {
  expect(comparison(run(20, 100, 1000), run(21, 100, 1500, { CPU: 7 }))).toBe(
    [
      '                         saved    now   unit  ratio',
      'cold: getPet, load          20     21     ms   1.05',
      'cold: getPet, CPU                   7     ms            new',
      'cold: getPet, bundle       100    100     KB   1.00',
      'local: server, requests  1,000  1,500  per s   1.50  better',
      '',
      'saved: 2 cores of Some CPU, 4 GB of memory, Node.js v24.0.0',
      'now:   2 cores of Some CPU, 4 GB of memory, Node.js v24.0.0',
      '',
      'Marked: sizes and counts that differ at all, and all else that is 1.1 times what it was, or less than 1/1.1.',
      '',
    ].join('\n'),
  )
})

test('marks times beyond noise, and sizes that differ at all', () => {
  const marks = (now: ReturnType<typeof run>) =>
    marksOf(comparison(run(20, 100, 1000), now)).map((cells) => cells[5] ?? '')

  expect(marks(run(21.9, 100, 910))).toEqual(['', '', ''])
  expect(marks(run(22.1, 100.1, 900))).toEqual(['worse', 'worse', 'worse'])
  expect(marks(run(18, 99.9, 1101))).toEqual(['better', 'better', 'better'])
})

test('takes what was nothing, and is, for unchanged', () => {
  expect(comparison(run(0, 0, 0), run(0, 0, 0))).not.toMatch(/NaN|better|worse/)
})
