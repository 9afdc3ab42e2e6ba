import * as v from 'valibot'
import { expect, test } from 'vitest'
import { digestOfKey, IdempotencyKey } from '../../../shared/model/idempotency-key.ts'

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
  const quoted = [
    '""',
    `"${'x'.repeat(256)}"`,
    '"a b"',
    '"a',
    '"a"b',
    '"a";b=1',
    '"a"b"',
    '"a\\n"',
    '"a\\"',
    '"',
  ]
  const repeated = ['a', 'a']

  expect([...bare, ...quoted, repeated].filter((value) => v.is(IdempotencyKey, value))).toEqual([])
})

test('different keys, clients and operations have different reservations', () => {
  const requests = [
    { clientId: 'a', operation: 'b', key: 'c' },
    { clientId: 'd', operation: 'b', key: 'c' },
    { clientId: 'ab', operation: '', key: 'c' },
    { clientId: 'a', operation: 'bc', key: '' },
    { clientId: 'a","b', operation: 'c', key: '' },
    { clientId: 'a', operation: 'b","c', key: '' },
  ]

  const ids = requests.map((request) => digestOfKey({ ...request, request: '' }))

  expect(new Set(ids).size).toBe(requests.length)
  for (const id of ids) expect(id).toMatch(/^[\da-f]{64}$/)
})
