import * as v from 'valibot'
import { expect, test } from 'vitest'
import { NewPet } from '../../../shared/pets/pet.ts'

test.each([
  ['name', ['R', 'x'.repeat(1000)], ['x'.repeat(1001), ' ', null, undefined]],
  ['categoryId', [7, -9223372036854775808n], [9223372036854775808n, 1.5, '7', null, undefined]],
  [
    'status',
    ['available', 'pending', 'sold', undefined],
    ['', 'Available', 'sold ', 'none', 'available#0', null, 0, ['sold']],
  ],
])('a new pet has a valid %s', (field, valid, invalid) => {
  const isValid = (value: unknown) => v.is(NewPet, { name: 'Rex', categoryId: 7, [field]: value })

  expect([...valid, ...invalid].filter(isValid)).toEqual(valid)
})
