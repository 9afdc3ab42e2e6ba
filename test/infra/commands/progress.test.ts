import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Progress } from '../../../infra/commands/progress.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** Does ten things a second for some seconds. Returns what was shown. */
const show = (seconds: number, isTTY: boolean, total?: number): string[] => {
  const write = vi.fn<(text: string) => void>()
  const progress = new Progress('pets', total, { isTTY, write })
  for (let i = 0; i < 10 * seconds; i++) {
    vi.advanceTimersByTime(100)
    progress.add()
  }
  progress.stop()
  return write.mock.calls.flat()
}

const CLEAR = '\r\u001b[2K'

test('what takes two seconds shows nothing', () => {
  expect(show(2, false, 1000)).toEqual([])
  expect(show(2, true, 1000)).toEqual([CLEAR])
})

test('without a terminal, there is a line every ten seconds', () => {
  expect(show(25, false, 12_000)).toEqual([
    '0 %: 99 of 12,000 pets, 9.9 a second, 21 min left\n',
    '1 %: 199 of 12,000 pets, 9.9 a second, 20 min left\n',
  ])
})

test('a terminal has a bar, which is replaced and at last removed', () => {
  const shown = show(5, true, 100)

  const bar = `${CLEAR}████████░░░░░░░░░░░░ 44 of 100 pets, 9.8 a second, 6 s left`
  expect(shown.join('')).toContain(bar)
  expect(shown.at(-1)).toBe(CLEAR)
})

test.each([
  ['is unknown', undefined],
  ['was counted before some were added', 50],
])('no end is shown if the total %s', (_, total) => {
  expect(show(10, false, total)).toEqual(['99 pets, 9.9 a second\n'])
})
