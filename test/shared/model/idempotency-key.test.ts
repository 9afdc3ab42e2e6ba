import * as v from 'valibot'
import { describe, expect, test } from 'vitest'
import { fingerprintOf, IdempotencyKey, intentDigest } from '../../../shared/model/idempotency-key.ts'

describe('a key', () => {
  test.each([
    ['bare', 'order-1742', 'order-1742'],
    ['of one character', '!', '!'],
    ['of 255 characters', '~'.repeat(255), '~'.repeat(255)],
    ['with a quote inside', 'a"b', 'a"b'],
    ['with a backslash', 'a\\b', 'a\\b'],
    ['in quotes', '"order-1742"', 'order-1742'],
    ['in quotes, of 255 characters', `"${'#'.repeat(255)}"`, '#'.repeat(255)],
    ['in quotes, with a quote and a backslash inside', '"a\\"b\\\\c"', 'a"b\\c'],
    ['in quotes, of 255 quotes', `"${'\\"'.repeat(255)}"`, '"'.repeat(255)],
  ])('is taken: %s', (_, text, key) => {
    expect(v.parse(IdempotencyKey, text)).toBe(key)
  })

  test.each([
    ['empty', ''],
    ['empty in quotes', '""'],
    ['of 256 characters', 'x'.repeat(256)],
    ['in quotes, of 256 characters', `"${'x'.repeat(256)}"`],
    ['with a space', 'a b'],
    ['with a space in quotes', '"a b"'],
    ['with a tab', 'a\tb'],
    ['with a line break at the end', 'a\n'],
    ['with DEL', 'a\x7F'],
    ['beyond ASCII', 'é'],
    ['with an open quote', '"a'],
    ['with text behind the quotes', '"a"b'],
    ['with a parameter', '"a";b=1'],
    ['with a quote inside quotes', '"a"b"'],
    ['with another escape', '"a\\n"'],
    ['with a backslash at the end', '"a\\"'],
    ['a single quote mark', '"'],
    ['two of them', ['a', 'a']],
  ])('is refused: %s', (_, text) => {
    expect(v.safeParse(IdempotencyKey, text).success).toBe(false)
  })
})

test('no two intents have one digest', () => {
  const intents = [
    { clientId: 'a', operation: 'b', key: 'c' },
    { clientId: 'ab', operation: '', key: 'c' },
    { clientId: 'a', operation: 'bc', key: '' },
    { clientId: 'a","b', operation: 'c', key: '' },
    { clientId: 'a', operation: 'b","c', key: '' },
    { clientId: 'A', operation: 'b', key: 'c' },
    { clientId: 'a', operation: 'b', key: 'C' },
  ]

  const digests = intents.map(intentDigest)

  expect(new Set(digests).size).toBe(intents.length)
  for (const digest of digests) expect(digest).toMatch(/^[\da-f]{64}$/)
})

describe('a fingerprint', () => {
  const of = fingerprintOf({ name: 'Rex', categoryId: 7, status: 'sold' })

  test('is the same for the same values in another order', () => {
    expect(fingerprintOf({ status: 'sold', categoryId: 7, name: 'Rex' })).toBe(of)
  })

  test.each([
    ['another name', { name: 'rex', categoryId: 7, status: 'sold' }],
    ['another category', { name: 'Rex', categoryId: 8, status: 'sold' }],
    ['another status', { name: 'Rex', categoryId: 7, status: 'pending' }],
    ['no status', { name: 'Rex', categoryId: 7 }],
    ['values that run into one another', { name: 'Rex",7', categoryId: 7, status: 'sold' }],
  ])('differs for %s', (_, body) => {
    expect(fingerprintOf(body)).not.toBe(of)
  })

  test('tells int64s apart that one double stands for', () => {
    const [a, b] = [9223372036854775807n, 9223372036854775806n].map((categoryId) => fingerprintOf({ categoryId }))

    expect(a).not.toBe(b)
  })
})
