import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { at } from '../support/clock.ts'
import { storedPets, storeKey } from '../support/database.ts'
import { unavailable } from '../support/events.ts'
import { databaseResponses } from '../support/fault-proxy.ts'
import {
  changeEvent,
  createEvent,
  deleteEvent,
  isInTime,
  sendUntil,
  servedResponse,
  startContainer,
  type Wish,
} from './container.ts'

const container = await startContainer()
const apiKey = await storeKey()

const create = async (wish: Wish, own = container) => {
  const { status, headers, body } = await servedResponse(own, createEvent(wish))
  return { status, id: body.id, isReplayed: 'Idempotent-Replayed' in headers }
}

const idsOf = async (name: string) => (await storedPets()).filter((pet) => pet.name === name).map(({ id }) => id)

const HOUR = 3_600_000

test('a key is the same for all API keys of a client, and another one for another client', async () => {
  const wish = { name: 'Tom', apiKey, idempotencyKey: 'order-1742' }

  const first = await create(wish)
  const withAnotherApiKey = await create({ ...wish, apiKey: await storeKey() })
  const ofAnotherClient = await create({ ...wish, apiKey: await storeKey({ clientId: 'bob' }) })

  expect(withAnotherApiKey).toEqual({ ...first, isReplayed: true })
  expect(ofAnotherClient).toEqual({ status: 201, id: expect.any(Number), isReplayed: false })
  expect(new Set(await idsOf('Tom'))).toEqual(new Set([first.id, ofAnotherClient.id]))
})

test.each([
  ['changed', (id: number) => changeEvent(id, { name: 'Max', status: null }, apiKey)],
  ['deleted', (id: number) => deleteEvent(id, apiKey)],
])('a retry after the pet was %s gets the original response, and leaves the pet as it is', async (key, eventOf) => {
  const wish = { name: 'Kim', apiKey, idempotencyKey: key }
  const first = await servedResponse(container, createEvent(wish))
  await servedResponse(container, eventOf(first.body.id))
  const stored = await storedPets()

  at(24 * HOUR - 1000)
  const retried = await servedResponse(container, createEvent(wish))

  expect(retried).toEqual({ ...first, headers: { ...first.headers, 'Idempotent-Replayed': 'true' } })
  expect(await storedPets()).toEqual(stored)
})

const { POSITIVE_INFINITY } = Number
const cases = ['Pets', 'IdempotencyKeys'].flatMap((table) =>
  [1, 2, 3, POSITIVE_INFINITY].map((times) => [table, times] as const),
)

describe.concurrent('creates one pet when reads after a failed write find nothing', () => {
  test.each(cases)('in %s, %d times', async (table, times) => {
    const own = await startContainer()
    const wish = { name: `Mia ${table} ${times}`, apiKey, idempotencyKey: `${table}-${times}` }
    const first = await create(wish, own)
    let left = times
    own.proxy.faultOf = async ({ operation, body }) => {
      if (operation !== 'GetItem' || !body.includes(table) || left-- <= 0) return 'pass'
      await pause(times === POSITIVE_INFINITY ? 100 : 0) // Otherwise there would be hundreds of reads.
      return databaseResponses.nothing
    }

    const retried = await sendUntil(own, createEvent(wish), isInTime, times === POSITIVE_INFINITY ? 1 : 100)
    left = 0
    const replay = await create(wish, own)

    expect(retried.at(-1)?.response).toMatchObject(
      times === POSITIVE_INFINITY ? unavailable : { status: 201, body: { id: first.id } },
    )
    expect(replay).toEqual({ ...first, isReplayed: true })
    expect(await idsOf(wish.name)).toEqual([first.id])
  })
})
