import * as v from 'valibot'
import { expect, test } from 'vitest'
import { digestOfValues, IdempotencyKey, intentDigest } from '../../../shared/model/idempotency-key.ts'

test.each([
  ['bare', 'order-1742', 'order-1742'],
  ['one character', '!', '!'],
  ['255 characters', '~'.repeat(255), '~'.repeat(255)],
  ['a quote and a backslash inside', 'a"b\\c', 'a"b\\c'],
  ['a quote at the end', 'a"', 'a"'],
  ['quoted', '"order-1742"', 'order-1742'],
  ['quoted, 255 characters', `"${'#'.repeat(255)}"`, '#'.repeat(255)],
  ['quoted, with an escaped quote and backslash', '"a\\"b\\\\c"', 'a"b\\c'],
  ['quoted, 255 escaped quotes', `"${'\\"'.repeat(255)}"`, '"'.repeat(255)],
])('a valid key: %s', (_, text, key) => {
  expect(v.parse(IdempotencyKey, text)).toBe(key)
})

test('nothing else is a key', () => {
  const bare = ['', 'x'.repeat(256), 'a b', 'a\tb', 'a\n', 'a\x7F', 'é']
  const quoted = ['""', `"${'x'.repeat(256)}"`, '"a b"', '"a', '"a"b', '"a";b=1', '"a"b"', '"a\\n"', '"a\\"', '"']
  const repeated = ['a', 'a']

  expect([...bare, ...quoted, repeated].filter((value) => v.is(IdempotencyKey, value))).toEqual([])
})

test('different intents have different digests', () => {
  const intents = [
    { clientId: 'a', operation: 'b', key: 'c' },
    { clientId: 'ab', operation: '', key: 'c' },
    { clientId: 'a', operation: 'bc', key: '' },
    { clientId: 'a","b', operation: 'c', key: '' },
    { clientId: 'a', operation: 'b","c', key: '' },
  ]

  const digests = intents.map((intent) => intentDigest({ ...intent, request: '' }))

  expect(new Set(digests).size).toBe(intents.length)
  for (const digest of digests) expect(digest).toMatch(/^[\da-f]{64}$/)
})

test('values have the same digest if they are equal, with the keys of objects in any order', () => {
  const values = { name: 'Ann', size: 9223372036854775807n, tags: ['a', 'b'], at: { x: 1, y: null } }
  const others = [
    { name: 'ann' },
    { size: 9223372036854775806n }, // It is the same double.
    { size: '9223372036854775807' },
    { tags: undefined },
    { tags: ['b', 'a'] },
    { at: { x: null, y: 1 } },
    { name: 'Ann",9', size: 223372036854775807n },
  ]

  const digest = digestOfValues(values)

  expect(digest).toMatch(/^[\da-f]{64}$/)
  expect(digestOfValues({ at: { y: null, x: 1 }, tags: ['a', 'b'], size: values.size, name: 'Ann' })).toBe(digest)
  for (const other of others) expect(digestOfValues({ ...values, ...other })).not.toBe(digest)
})
