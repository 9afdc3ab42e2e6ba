import { describe, expect, test } from 'vitest'
import { exactJson } from '../../../shared/model/json.ts'

const read = (text: string) => exactJson(text, JSON.parse(text))

describe('a number in JSON', () => {
  test.each([
    ['9223372036854775806', 9223372036854775806n],
    ['9223372036854775807', 9223372036854775807n],
    ['9223372036854775808', 9223372036854775808n],
    ['-9223372036854775808', -9223372036854775808n],
    ['-9223372036854775809', -9223372036854775809n],
    ['9007199254740991', 9007199254740991],
    ['9007199254740992', 9007199254740992n],
    ['9007199254740993', 9007199254740993n],
    ['1.0', 1],
    ['1e3', 1000],
    ['1E+3', 1000],
    ['10e-1', 1],
    ['1.5', 1.5],
    ['0e-400', 0],
    ['1e17', 1e17],
    ['368813031867639.0', 368813031867639],
    ['-9007199254740991.000', -9007199254740991],
    ['3.68813031867639e14', 368813031867639],
    ['36881303186763900000e-5', 368813031867639],
    ['0.00000000000000000', 0],
  ])('is read exactly: %s', (text, value) => {
    expect(read(text)).toBe(value)
  })

  test.each([
    '899999999999999.99',
    '-899999999999999.99',
    '9007199254740993.0',
    '9007199254740993e0',
    '0.99999999999999999999',
    '1e-400',
    '1E-400',
    '-1e-400',
    '0.1e-400',
    '0.0000000000000000001e-400',
  ])('is no number at all where a double rounds it: %s', (text) => {
    expect(read(text)).toBeNaN()
  })
})

test('numbers are exact at any depth, under any key, beside any other', () => {
  const text = '{"b":{"2":[1,{"1":9007199254740993}],"__proto":1e-400},"9007199254740993":7}'

  const value = read(text)

  expect(value).toEqual({
    b: { 2: [1, { 1: 9007199254740993n }], __proto: Number.NaN },
    '9007199254740993': 7,
  })
})

test('digits inside strings stay text', () => {
  const text = '["9007199254740993","1e-400","\\"899999999999999.99",9007199254740993]'

  expect(read(text)).toEqual(['9007199254740993', '1e-400', '"899999999999999.99', 9007199254740993n])
})

test.each([
  ['{"id":1,"id":9007199254740993}', { id: 9007199254740993n }],
  ['{"id":9007199254740993,"id":1}', { id: 1 }],
  ['{"id":{"id":1e-400},"id":9007199254740993}', { id: 9007199254740993n }],
])('the last of repeated keys is exact: %s', (text, value) => {
  expect(read(text)).toEqual(value)
})

test('text without long numbers is what JSON.parse made of it', () => {
  const parsed = { name: 'Rex', categoryId: 7 }

  expect(exactJson('{"name":"Rex","categoryId":7}', parsed)).toBe(parsed)
})
