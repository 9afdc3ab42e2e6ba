import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { cursorAfter } from '../../shared/model/paging.ts'
import type { Pet } from '../../shared/pets/pet.ts'
import { call, create, created, expectCommonHeaders, expectError } from '../support/api.ts'
import { newPet } from '../support/pets.ts'

const keyed = (key: string | string[]) => ({ 'Idempotency-Key': key })
const uniquePet = () => newPet(`Rex ${randomUUID()}`)

/** All pets that are newer than the one with this id. */
const listedAfter = async (id: number): Promise<Pet[]> => {
  const newer: Pet[] = []
  let cursor = ''
  while (true) {
    const { body } = await call({ path: `/pets?limit=100${cursor}` })
    const page = body as Pet[] // As the document describes a 200; `call` compares them.
    newer.push(...page.filter((each) => each.id > id))
    const last = page.at(-1)
    if (!last || last.id <= id) return newer
    cursor = `&cursor=${cursorAfter(last.id)}`
  }
}

test('adds a pet once, and returns the same response to all requests, at once and later', async () => {
  const [earlier, pet, key] = [await created(newPet()), uniquePet(), randomUUID()]

  const atOnce = await Promise.all(Array.from({ length: 10 }, () => create(pet, keyed(key))))
  // A quoted key is the same key, and a body that is spelled differently the same body.
  const spelled = JSON.stringify(Object.fromEntries(Object.entries(pet).reverse()), null, 2)
  const retried = await create(spelled, keyed(`"${key}"`))

  const { text, headers } = retried
  for (const response of atOnce) {
    expect(response).toMatchObject({ status: 201, text, headers: { location: headers.location } })
    expectCommonHeaders(response)
  }
  const replayed = [...atOnce, retried].map((response) => response.headers['idempotent-replayed'])
  // None is the original response if that one was a 503, which the test retried.
  expect(replayed.filter((each) => each !== 'true')).toBeOneOf([[undefined], []])
  const saved = async () => {
    const newer = await listedAfter(earlier.id)
    return newer.filter(({ name }) => name === pet.name)
  }
  // The index follows the table, usually within a second.
  await expect.poll(saved).toEqual([retried.body])
})

test('returns 422 for a key that was sent with a different request', async () => {
  const [pet, key] = [uniquePet(), randomUUID()]
  await create(pet, keyed(key))

  const refused = await create(uniquePet(), keyed(key))
  const retried = await create(pet, keyed(key))

  const message =
    'This Idempotency-Key was used for another request within the last 24 hours. Repeat that request, or use a new key.'
  expectError(refused, 422, 'unprocessable_content', message)
  expect(retried.status).toBe(201)
})

test('ignores a key where nothing is created', async () => {
  const { status } = await call({ path: '/pets?limit=1', headers: keyed('not a key') })

  expect(status).toBe(200)
})
