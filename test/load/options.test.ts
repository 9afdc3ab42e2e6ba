import { expect, test } from 'vitest'
import { CommandError } from '../../infra/command-line.ts'
import { readOptions } from './options.ts'

test('lasts a minute, or as long as it is told', () => {
  expect([readOptions([]), readOptions(['--seconds', '10'])]).toEqual([{ seconds: 60 }, { seconds: 10 }])
})

test('asks for nothing where help is wanted', () => {
  expect(readOptions(['--help'])).toBeUndefined()
})

test.each(['0', '1', '3601', '10000', '1.5', '-5', 'abc', ''])('refuses to last for %j seconds', (seconds) => {
  const message = `--seconds takes a whole number from 2 to 3600, not "${seconds}".`

  expect(() => readOptions([`--seconds=${seconds}`])).toThrow(new CommandError(message))
})

test('refuses what it does not know', () => {
  const message = "Unknown option '--connections'. See npm run load -- --help"

  expect(() => readOptions(['--connections=1'])).toThrow(new CommandError(message))
})
