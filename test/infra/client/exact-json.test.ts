import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import * as client from '../../../infra/client/exact-json.ts'
import { exactJson, stringifyJson } from '../../../shared/model/json.ts'

const limits = [2n ** 53n - 1n, 2n ** 53n, 2n ** 63n - 1n].flatMap((limit) => [limit, -limit])
const int64 = fc.oneof(
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  fc.constantFrom(...limits, -(2n ** 63n)),
)
const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  int64.map(String),
  fc.constantFrom('"', '\\"', '\\', '"12345678901234567'),
)
// Keys without escapes, because V8 gives a reviver no source after some of them
// (nodejs/node#63785).
const key = text.map((any) => any.replaceAll(/["\\\p{Cc}]/gu, ''))
const number = fc.oneof(fc.integer(), fc.double({ min: -1e9, max: 1e9, noNaN: true }))
const json = fc.object({ key, values: [int64, text, number, fc.boolean(), fc.constant(null)] })

test('reads and writes JSON as the service does', () => {
  const sameJson = fc.property(json, fc.constantFrom(0, 1), (value, indent) => {
    const sent = stringifyJson(value, indent)

    expect(client.parseJson(sent)).toEqual(exactJson(sent, JSON.parse(sent)))
    expect(client.stringifyJson(value)).toBe(stringifyJson(value))
  })

  // The shortest integer that is rounded.
  fc.assert(sameJson, { examples: [[{ id: 2n ** 53n }, 0]] })
})

test('reads a number beyond int64 as any JSON parser does, because converting many digits exactly is slow', () => {
  expect(client.parseJson(`[${'9'.repeat(20)}]`)).toEqual([1e20])
})

test('writes an exact int64 in a program that defines BigInt.prototype.toJSON', () => {
  Object.assign(BigInt.prototype, { toJSON: () => 'a string' })
  onTestFinished(() => void Reflect.deleteProperty(BigInt.prototype, 'toJSON'))

  expect(client.stringifyJson({ id: 9007199254740993n })).toBe('{"id":9007199254740993}')
})
