import * as v from 'valibot'
import { describe, expect, test } from 'vitest'
import { Limit } from '../../../shared/model/paging.ts'
import { NewPet } from '../../../shared/pets/pet.ts'

describe('a name', () => {
  const isName = (name: unknown) => v.is(NewPet, { name, categoryId: 7 })

  test('has 1 to 1000 characters, which take one or two UTF-16 code units each', () => {
    const [letters, dogs] = ['x'.repeat(1000), '🐕'.repeat(1000)]
    const valid = ['R', ' Rex \n', 'a\0b', 'e\u0301', '\u200B', letters, dogs, `${letters.slice(1)}🐕`]
    const invalid = ['', `${letters}x`, `${dogs}🐕`, `${letters}🐕`, letters.repeat(100)]

    expect([...valid, ...invalid].filter(isName)).toEqual(valid)
  })

  test.each([
    ['only white space', [' ', '\u00A0', '\u3000', '\u00A0\u3000\t\r\n\v\f\u2028\u2029\uFEFF']],
    ['text that was lost', ['Rex\uD83D', '\uDC15Rex', '\uDC15\uD83D', 'R\uFFFDx']],
    ['another type', [7, null, undefined, ['Rex']]],
  ])('must not be %s', (_, names) => {
    expect(names.filter(isName)).toEqual([])
  })
})

test('a status is one of three, or missing', () => {
  const valid = ['available', 'pending', 'sold', undefined]
  const invalid = ['', 'Available', 'sold ', 'none', 'available#0', null, 0, ['sold']]

  const isStatus = (status: unknown) => v.is(NewPet, { name: 'Rex', categoryId: 7, status })
  expect([...valid, ...invalid].filter(isStatus)).toEqual(valid)
})

test('a limit is an integer from 1 to 100 in digits', () => {
  const invalid = ['0', '101', '-1', '1.5', '1e1', '07', '+7', ' 7', '7\n', 'abc', '', ['2', '3']]

  expect(['1', '20', '100'].map((text) => v.parse(Limit, text))).toEqual([1, 20, 100])
  expect(invalid.filter((value) => v.is(Limit, value))).toEqual([])
})
