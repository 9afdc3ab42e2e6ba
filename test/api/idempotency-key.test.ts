import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { cursorAfter } from '../../shared/model/paging.ts'
import type { Pet } from '../../shared/pets/pet.ts'
import {
  create,
  createdPet,
  expectCommonHeaders,
  expectError,
  request,
  sendJson,
} from '../support/api.ts'
import { replayOf } from '../support/http.ts'
import { newPet } from '../support/pets.ts'

const keyed = (key: string) => ({ 'Idempotency-Key': key })
const uniquePet = () => newPet(`Rex ${randomUUID()}`)

/** All pets that are newer than the one with this id. */
const listedAfter = async (id: number): Promise<Pet[]> => {
  const newer: Pet[] = []
  let cursor = ''
  while (true) {
    const { body } = await request({ path: `/pets?limit=100${cursor}` })
    const page = body as Pet[] // As the document describes a 200; `request` compares them.
    newer.push(...page.filter((each) => each.id > id))
    const last = page.at(-1)
    if (!last || last.id <= id) return newer
    cursor = `&cursor=${cursorAfter(last.id)}`
  }
}

test('adds a pet once, and returns the same response to all its requests', async () => {
  const [earlier, pet, key] = [await createdPet(newPet()), uniquePet(), randomUUID()]

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

test.each([
  ['body', '', {}, { name: 'Max' }],
  ['query', '?color=red', {}, { name: 'Rex' }],
  ['path', '0', {}, { name: 'Rex' }],
  ['If-Match', '', { 'If-Match': '*' }, { name: 'Rex' }],
])('returns 422 for a key that was sent with another %s', async (_, suffix, headers, body) => {
  const path = `/pets/${(await createdPet(uniquePet())).id}`
  const key = keyed(randomUUID())
  const first = await sendJson('PATCH', path, key, { name: 'Rex' })

  const refused = await sendJson('PATCH', path + suffix, { ...key, ...headers }, body)
  const retry = await sendJson('PATCH', path, key, { name: 'Rex' })

  const message =
    'This Idempotency-Key was used for another request within the last 24 hours. ' +
    'A new request needs a new key.'
  expectError(refused, 422, 'unprocessable_content', message)
  expect(retry).toMatchObject(replayOf(first))
})

test('ignores a key of a request that reads, even one that is invalid', async () => {
  const { status } = await request({ path: '/pets?limit=1', headers: keyed('not a key') })

  expect(status).toBe(200)
})
