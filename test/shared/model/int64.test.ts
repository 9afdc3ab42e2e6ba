import * as v from 'valibot'
import { describe, expect, test } from 'vitest'
import { exactInteger, Int64, Int64Text } from '../../../shared/model/int64.ts'

describe('an int64', () => {
  test.each([
    0,
    7,
    -7,
    9007199254740991,
    -9007199254740991,
    9007199254740992n,
    9223372036854775807n,
    -9223372036854775808n,
  ])('may be %s', (value) => {
    expect(v.parse(Int64, value)).toBe(value)
  })

  test.each([
    9223372036854775808n,
    -9223372036854775809n,
    9007199254740992,
    -9007199254740992,
    1e17,
    1.5,
    Number.NaN,
    Number.POSITIVE_INFINITY,
    '7',
    true,
    null,
    undefined,
  ])('is never %s', (value) => {
    expect(v.is(Int64, value)).toBe(false)
  })
})

describe('an int64 in a path', () => {
  test.each([
    ['0', 0],
    ['7', 7],
    ['-7', -7],
    ['9007199254740991', 9007199254740991],
    ['9007199254740992', 9007199254740992n],
    ['9007199254740993', 9007199254740993n],
    ['-9007199254740991', -9007199254740991],
    ['-9007199254740993', -9007199254740993n],
    ['9223372036854775807', 9223372036854775807n],
    ['-9223372036854775808', -9223372036854775808n],
  ])('is read exactly: %s', (text, value) => {
    expect(v.parse(Int64Text, text)).toBe(value)
  })

  test.each([
    ['just above', '9223372036854775808'],
    ['just below', '-9223372036854775809'],
    ['of 20 digits', '10000000000000000000'],
    ['with a leading zero', '07'],
    ['with two zeros', '00'],
    ['with a plus sign', '+1'],
    ['that is minus zero', '-0'],
    ['with a space before', ' 7'],
    ['with a space behind', '7 '],
    ['with a line end', '7\n'],
    ['with a fraction', '1.0'],
    ['with an exponent', '1e3'],
    ['in hexadecimal', '0x7'],
    ['in Arabic digits', '٧'],
    ['without digits', '-'],
    ['that is empty', ''],
    ['that is a word', 'abc'],
  ])('is not a text %s', (_, text) => {
    expect(v.is(Int64Text, text)).toBe(false)
  })
})

test.each([
  ['9007199254740991', 9007199254740991],
  ['9007199254740992', 9007199254740992n],
  ['-9007199254740992', -9007199254740992n],
  ['9007199254740993', 9007199254740993n],
])('the digits %s become a number only where that is exact', (digits, value) => {
  expect(exactInteger(digits)).toBe(value)
})
