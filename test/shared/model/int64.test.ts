import * as v from 'valibot'
import { expect, test } from 'vitest'
import { Int64, Int64Text } from '../../../shared/model/int64.ts'

test('an int64 is a number if that is exact, else a bigint', () => {
  const numbers = [0, 7, -7, 9007199254740991, -9007199254740991]
  const bigInts = [9007199254740992n, 9223372036854775807n, -9223372036854775808n]

  const valid = [...numbers, ...bigInts]

  expect(valid.map((value) => v.parse(Int64, value))).toEqual(valid)
})

test('nothing else is an int64', () => {
  const rounded = [9007199254740992, -9007199254740992, 1e17, 1.5, Number.NaN, Number.POSITIVE_INFINITY]
  const invalid = [9223372036854775808n, -9223372036854775809n, ...rounded, '7', true, null, undefined]

  expect(invalid.filter((value) => v.is(Int64, value))).toEqual([])
})

const valid =
  '0 7 -7 9007199254740991 9007199254740992 9007199254740993 -9007199254740991 -9007199254740993 ' +
  '9223372036854775807 -9223372036854775808'
test.each(valid.split(' '))('the path parameter %s is read exactly', (text) => {
  expect(BigInt(v.parse(Int64Text, text))).toBe(BigInt(text))
})

const invalid = '9223372036854775808 -9223372036854775809 10000000000000000000 07 00 +1 -0 1.0 1e3 0x7 ٧ - abc'
test.each([...invalid.split(' '), '', ' 7', '7 ', '7\n'])('the path parameter %j is invalid', (text) => {
  expect(v.is(Int64Text, text)).toBe(false)
})
