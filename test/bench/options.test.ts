import { expect, test } from 'vitest'
import { CommandError } from '../../infra/command-line.ts'
import { readOptions } from './options.ts'
import { partNames } from './parts.ts'

test('measures everything, with 31 starts, and prints tables', () => {
  expect(readOptions([])).toEqual({ parts: partNames, starts: 31, json: false, compare: undefined, sheets: [] })
})

test('measures the parts that it is told to, in the order of all', () => {
  const { parts, starts, json } = readOptions(['warm', 'cold', '--starts', '5', '--json']) ?? {}

  expect({ parts, starts, json }).toEqual({ parts: ['cold', 'warm'], starts: 5, json: true })
})

test('asks for nothing where help is wanted', () => {
  expect(readOptions(['--help'])).toBeUndefined()
})

test.each([
  ['a part that there is not', ['hot'], `There is no part "hot", but ${partNames.join(', ')}.`],
  ['an option that there is not', ['--quick'], "Unknown option '--quick'. See npm run bench -- --help"],
  ['no start', ['--starts', '0'], '--starts takes a whole number from 1 to 1000, not "0".'],
  ['too many starts', ['--starts=1001'], '--starts takes a whole number from 1 to 1000, not "1001".'],
  ['half a start', ['--starts=1.5'], '--starts takes a whole number from 1 to 1000, not "1.5".'],
  ['two ways to print', ['--json', '--compare', 'a'], '--json and --compare do not go together.'],
  ['to measure and not to', ['cold', '--bundle'], '--bundle measures nothing: leave out all else.'],
  ['JSON of what is none', ['--scale', '--json'], '--scale measures nothing: leave out all else.'],
])('refuses %s', (_, args, message) => {
  expect(() => readOptions(args)).toThrow(new CommandError(message))
})
