import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { parseJson, writeJson } from '../../../shared/client/exact-json.ts'
import { exactJson, stringifyJson } from '../../../shared/model/json.ts'

const int64 = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })
const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  int64.map(String),
  fc.constantFrom('"', '\\"', '\\', '"12345678901234567'),
)
// No key needs an escape: after a key of one backslash, V8 takes others that do for it (nodejs/node#63785).
const key = text.map((any) => any.replaceAll(/["\\\p{Cc}]/gu, ''))
const json = fc.object({ key, values: [int64, text, fc.integer(), fc.boolean(), fc.constant(null)] })

test('a client reads what the service reads, and writes what it writes', () => {
  fc.assert(
    fc.property(json, fc.constantFrom(0, 1), (value, indent) => {
      const sent = stringifyJson(value, indent)

      expect(parseJson(sent)).toEqual(exactJson(sent, JSON.parse(sent)))
      expect(writeJson(value)).toBe(stringifyJson(value))
    }),
  )
})

test.each([
  ['9007199254740991', 9007199254740991],
  ['9007199254740992', 9007199254740992n],
  ['-9223372036854775808', -9223372036854775808n],
  ['[1, 9007199254740993,-9007199254740993]', [1, 9007199254740993n, -9007199254740993n]],
  ['{"9007199254740993":"9007199254740993"}', { '9007199254740993': '9007199254740993' }],
  ['[0.1234567890123456,1.234567890123456e+20]', [0.1234567890123456, 1.234567890123456e20]],
])('%s is read exactly', (sent, value) => {
  expect(parseJson(sent)).toEqual(value)
})

test('text that is no JSON is refused', () => {
  expect(() => parseJson('<html>12345678901234567')).toThrow(SyntaxError)
  expect(() => parseJson('{"id":12345678901234567')).toThrow(SyntaxError)
})

test.each([
  [2 ** 53, '9007199254740992.0'],
  [-(2 ** 53), '-9007199254740992.0'],
  [1e300, `${BigInt(1e300)}.0`],
  [2 ** 53 - 1, '9007199254740991'],
  [1.5, '1.5'],
])('a number that may be rounded is written so that the service refuses it: %d', (value, written) => {
  expect(writeJson({ categoryId: value })).toBe(`{"categoryId":${written}}`)
})

test('an int64 is exact in a program that has taught bigints to be JSON', () => {
  Object.assign(BigInt.prototype, { toJSON: () => 'a string' })
  onTestFinished(() => void Reflect.deleteProperty(BigInt.prototype, 'toJSON'))

  expect(writeJson({ categoryId: 9007199254740993n })).toBe('{"categoryId":9007199254740993}')
})

test('a value that has no JSON is no text', () => {
  expect(writeJson(undefined)).toBe('')
})
