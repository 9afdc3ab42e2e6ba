import { beforeEach, expect, test } from 'vitest'
import { putItem } from '../support/database.ts'
import { eventOf, responseTo } from '../support/events.ts'
import { invoke } from '../support/invoke.ts'
import { petOf, storedPet } from '../support/pets.ts'

const rex = petOf(373117652410368)
const ETag = expect.stringMatching(/^"373117652410368-[\da-f-]{36}"$/)

beforeEach(() => putItem('pets', storedPet(rex.id)))

test.each([
  ['updatePet-changed', { status: 200, headers: { ETag }, body: { ...rex, status: 'sold' } }],
  ['deletePet-deleted', { status: 204 }],
])('returns what the operation promises, and nothing else: %s', async (name, expected) => {
  const event = eventOf(name)

  const response = await invoke(event)

  expect(response).toEqual(responseTo(event, expected))
})
