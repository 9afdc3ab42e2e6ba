import fc from 'fast-check'
import { expect, test } from 'vitest'
import { exactJson, stringifyJson } from '../../../shared/model/json.ts'

const int64 = fc.bigInt({ min: -9223372036854775808n, max: 9223372036854775807n })
const again = (text: string) => stringifyJson(exactJson(text, JSON.parse(text)))

test('a value is written with its integers in plain digits', () => {
  const value = { id: 9007199254740993n, name: '9n', tags: [-9223372036854775808n, 7], status: undefined }

  expect(stringifyJson(value)).toBe('{"id":9007199254740993,"name":"9n","tags":[-9223372036854775808,7]}')
})

test('any int64 goes through JSON text and back, digit for digit', () => {
  fc.assert(
    fc.property(int64, (value) => {
      expect(again(`{"id":${value}}`)).toBe(`{"id":${value}}`)
    }),
  )
})

test('any JSON with int64s in it goes through text and back', () => {
  const json = fc.object({ values: [int64, fc.string(), fc.boolean(), fc.constant(null)], withNullPrototype: true })

  fc.assert(
    fc.property(json, (value) => {
      const text = stringifyJson(value)

      expect(again(text)).toBe(text)
    }),
  )
})
