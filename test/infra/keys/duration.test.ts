import { expect, test } from 'vitest'
import { CommandError, secondsOf } from '../../../infra/command-line.ts'

test.each([
  ['1s', 1],
  ['30s', 30],
  ['15m', 900],
  ['24h', 86_400],
  ['90d', 7_776_000],
  ['99999d', 8_639_913_600],
])('%s is %d seconds', (text, expected) => {
  expect(secondsOf('--grace', text)).toBe(expected)
})

test.each([
  '',
  '0',
  '0s',
  '24',
  'h',
  '-1h',
  '1.5h',
  '1 h',
  '1h ',
  '24H',
  '1w',
  '1h30m',
  '01h',
  '100000d',
  '١h',
  '1e3s',
])('"%s" is refused with what is taken', (text) => {
  const line = '--grace takes 1 to 99999 seconds, minutes, hours or days, such as 30s, 15m, 24h or 90d.'
  expect(() => secondsOf('--grace', text)).toThrow(new CommandError(line))
})
