import { App } from 'aws-cdk-lib'
import { expect, test } from 'vitest'
import { readContext, StageError } from '../../../infra/stages.ts'

const read = (context: Record<string, string>) => readContext(new App({ context }))

test.each(['1', 'a b', '-a', 'ä', 'a'.repeat(101)])('refuses the prefix %s in one sentence', (prefix) => {
  const sentence = 'The context "prefix" takes 1 to 100 letters, digits and hyphens, of which the first is a letter.'

  expect(() => read({ prefix })).toThrow(new StageError(sentence))
})

test.each(['', 'Blue', 'team-1-'])('takes the prefix "%s"', (prefix) => {
  expect(read({ prefix })).toEqual({ prefix, change: {} })
})

test('refuses a release that it does not know in one sentence', () => {
  expect(() => read({ release: 'now' })).toThrow(new StageError('The context "release" takes canary or all-at-once.'))
})

test('lets a release go all at once', () => {
  expect(read({ release: 'all-at-once' })).toEqual({ prefix: '', change: { release: 'all-at-once' } })
})

test('says nothing where the command line says nothing', () => {
  expect(read({})).toEqual({ prefix: '', change: {} })
})
