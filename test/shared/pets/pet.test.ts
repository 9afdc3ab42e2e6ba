import * as v from 'valibot'
import { expect, test } from 'vitest'
import { NewPet } from '../../../shared/pets/pet.ts'

test('a status is one of three, or missing', () => {
  const valid = ['available', 'pending', 'sold', undefined]
  const invalid = ['', 'Available', 'sold ', 'none', 'available#0', null, 0, ['sold']]

  const isStatus = (status: unknown) => v.is(NewPet, { name: 'Rex', categoryId: 7, status })
  expect([...valid, ...invalid].filter(isStatus)).toEqual(valid)
})
