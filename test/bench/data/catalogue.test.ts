import * as pets from '../../../shared/data/pets.ts'
import '../../support/database.ts'
import { ScanCommand } from '@aws-sdk/lib-dynamodb'
import { expect, test } from 'vitest'
import { catalogueOf, clientOf, fill } from './catalogue.ts'

const environment = process.env as Record<string, string> // None that is read here is absent.

test('a catalogue is filled with items as the service writes them', async () => {
  const made = catalogueOf(30)

  await fill(environment, made)
  const { pet } = await pets.create({ name: 'Rex', categoryId: 7, status: 'sold' })
  const { pet: other } = await pets.create({ name: 'Tom', categoryId: 7 })

  const { Items = [] } = await clientOf(environment).send(new ScanCommand({ TableName: environment.PETS_TABLE }))
  const attributesOf = (wanted: unknown) => Object.keys(Items.find(({ id }) => id === wanted) ?? {}).sort()
  expect(Items.length).toBe(32)
  expect(attributesOf(made.find(({ status }) => status === 'sold')?.id)).toEqual(attributesOf(pet.id))
  expect(attributesOf(made.find(({ status }) => !status)?.id)).toEqual(attributesOf(other.id))
  const { pets: listed } = await pets.list({ limit: 32 })
  expect(listed.slice(2)).toEqual(made.map(({ status, ...pet }) => ({ ...pet, ...(status && { status }) })))
})
