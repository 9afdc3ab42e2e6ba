import * as v from 'valibot'
import { describe, expect, test } from 'vitest'
import { NewPet, Pet } from '../../../shared/model/pet.ts'

const isName = (name: unknown) => v.is(NewPet, { name, categoryId: 7 })

describe('a name', () => {
  test.each([
    ['a single letter', 'R'],
    ['letters between white space', ' Rex \n'],
    ['1000 letters', 'x'.repeat(1000)],
    ['1000 characters beyond the first 65,536', '🐕'.repeat(1000)],
    ['1000 characters, of which some take two code units', `${'x'.repeat(999)}🐕`],
    ['a zero byte', 'a\0b'],
    ['a combining accent', 'e\u0301'],
    ['characters that no one sees, but which are no white space', '\u200B'],
  ])('may be %s', (_, name) => {
    expect(isName(name)).toBe(true)
  })

  test.each([
    ['empty', ''],
    ['a space', ' '],
    ['a no-break space', '\u00A0'],
    ['an ideographic space', '\u3000'],
    ['white space of many kinds', '\u00A0\u3000\t\r\n\v\f\u2028\u2029\uFEFF'],
    ['1001 letters', 'x'.repeat(1001)],
    ['1001 characters beyond the first 65,536', '🐕'.repeat(1001)],
    ['1001 characters, of which one takes two code units', `${'x'.repeat(1000)}🐕`],
    ['100,000 letters', 'x'.repeat(100_000)],
    ['half of a surrogate pair, the first', 'Rex\uD83D'],
    ['half of a surrogate pair, the second', '\uDC15Rex'],
    ['two halves in the wrong order', '\uDC15\uD83D'],
    ['marked as having lost text', 'R\uFFFDx'],
    ['a number', 7],
    ['null', null],
    ['absent', undefined],
    ['a list', ['Rex']],
  ])('is never %s', (_, name) => {
    expect(isName(name)).toBe(false)
  })
})

describe('a status', () => {
  test.each(['available', 'pending', 'sold', undefined])('may be %s', (status) => {
    expect(v.is(NewPet, { name: 'Rex', categoryId: 7, status })).toBe(true)
  })

  test.each(['', 'Available', 'sold ', 'none', 'available#0', null, 0, ['sold']])('is never %j', (status) => {
    expect(v.is(NewPet, { name: 'Rex', categoryId: 7, status })).toBe(false)
  })
})

test('of what a client sends, only the known fields are kept', () => {
  const sent = { id: 1, name: 'Rex', categoryId: 7, status: 'sold', owner: 'Ann', creation: 'x', statusShard: 'sold#9' }

  expect(v.parse(NewPet, sent)).toEqual({ name: 'Rex', categoryId: 7, status: 'sold' })
})

test('a pet without a status gets none', () => {
  expect(v.parse(NewPet, { name: 'Rex', categoryId: 7 })).toStrictEqual({ name: 'Rex', categoryId: 7 })
})

test('a pet as it is returned has an id', () => {
  expect(v.is(Pet, { id: 1, name: 'Rex', categoryId: 7 })).toBe(true)
  expect(v.is(Pet, { name: 'Rex', categoryId: 7 })).toBe(false)
})
