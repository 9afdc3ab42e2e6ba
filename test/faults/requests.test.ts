import { describe, expect, test } from 'vitest'
import { cursorAfter } from '../../shared/model/paging.ts'
import type { PetStatus } from '../../shared/pets/pet.ts'
import { service } from '../../shared/service.ts'
import { putItem, type StoredItem, storedItems } from '../support/database.ts'
import { errorResponse, responseTo, unavailable } from '../support/events.ts'
import { newPet, petOf, storedPet } from '../support/pets.ts'
import { casesOf, eventFrom, isServed, runCase, type Way } from './cases.ts'
import { faultKinds } from './fault-kinds.ts'

const KEY = 'GetItem apiKeys'
const RESERVATION = 'GetItem idempotencyKeys'
const READ = 'GetItem pets'
const WRITE = 'TransactWriteItems'

// The pet of a case has its number as its id, unless the request creates it.
const nameOf = (number: number) => `Rex ${number}`
const storePet = (id: number) => putItem('pets', storedPet(id, { name: nameOf(id) }))

/** A way, its responses, and what is stored once it took effect. */
type StoringWay = Way & {
  /** The responses without faults: to the request, and to a retry if it has a key. */
  served: string
  /** The responses to the retries after a 503. */
  retried: string[]
  /** The status of the pet, and whether it has an order; without a status, there is no pet. */
  leaves: { status?: PetStatus; order?: true }
}

const ways: Record<string, StoringWay> = {
  'a list': {
    event: (apiKey) =>
      eventFrom(apiKey, 'listPets-no-parameters', { query: { cursor: cursorAfter(2) } }),
    calls: [KEY, 'Query pets'],
    served: '200',
    retried: ['200'],
    leaves: {},
  },
  'a create without a key': {
    event: (apiKey, number) =>
      eventFrom(apiKey, 'createPet-created', { body: JSON.stringify(newPet(nameOf(number))) }),
    calls: [KEY, `${WRITE} pets`],
    served: '201',
    retried: [''],
    leaves: { status: 'available' },
  },
  'an order': {
    exists: storePet,
    event: (apiKey, petId) =>
      eventFrom(apiKey, 'placeOrder-placed', {
        body: JSON.stringify({ petId }),
        headers: { 'Idempotency-Key': `order-${petId}` },
      }),
    calls: [KEY, RESERVATION, READ, `${WRITE} idempotencyKeys pets orders`],
    served: '201 replay',
    retried: ['201 replay', 'replay replay'],
    leaves: { status: 'pending', order: true },
  },
  // What has no key and gets a 503 may have taken effect.
  'a change of a revision': {
    exists: storePet,
    event: (apiKey, id) =>
      eventFrom(apiKey, 'updatePet-changed', {
        id: `${id}`,
        headers: { 'If-Match': `"${id}-x"` },
      }),
    calls: [KEY, READ, `${WRITE} pets`],
    served: '200',
    retried: ['200', '412'],
    leaves: { status: 'sold' },
  },
  'a delete of nothing with a key': {
    event: (apiKey, id) =>
      eventFrom(apiKey, 'deletePet-deleted', {
        id: `${id}`,
        headers: { 'Idempotency-Key': `delete-${id}` },
      }),
    calls: [KEY, RESERVATION, READ, `${WRITE} idempotencyKeys`],
    served: '404 replay',
    retried: ['404 replay', 'replay replay'],
    leaves: {},
  },
}

describe.concurrent('a request takes effect once and as a whole, or its response is a 503', () => {
  test.each(Object.entries(faultKinds))('%s', async (title, kind) => {
    const outcomes = await Promise.all(casesOf(ways, title, kind).map(runCase))

    const [pets, orders] = [await storedItems('pets'), await storedItems('orders')]
    for (const outcome of outcomes) {
      const left = {
        pets: pets.filter(({ name }) => name === nameOf(outcome.number)),
        orders: orders.filter(({ petId }) => petId === outcome.number),
      }
      expectFaults(outcome)
      expectEffect(outcome, left)
      expectWholeResponses(outcome, left)
    }
  })
})

const A_TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:]{8}Z$/)

type Outcome = Awaited<ReturnType<typeof runCase<StoringWay>>>
type Left = Record<'pets' | 'orders', StoredItem[]>

/** Expects that a case met its faults, and got the responses of its way. */
const expectFaults = ({ each, exchanges: [first], responses, calls, faults }: Outcome) => {
  const { title, way, fault, effect, times } = each
  // A busy machine can reach a time limit, of which the shortest is 500 ms, without a fault.
  const isQuick = first.milliseconds < 500
  const isInTime = isServed(first) || isQuick
  if (fault === 'pass' && isQuick) expect(calls, title).toEqual(way.calls)
  if (isInTime) expect(faults, title).toBeGreaterThan(0)
  const mustFail = effect !== 'harmless' && times > 1
  const failed = way.retried.map((last) => `503 ${last}`.trim())
  if (mustFail) expect(responses, title).toBeOneOf(failed)
  else if (isInTime) expect(responses, title).toBe(way.served)
  else expect(responses, title).toBeOneOf([way.served, ...failed])
}

/** Expects that all is stored that a request leaves. A create that got a 503 may leave nothing. */
const expectEffect = ({ each, number, responses }: Outcome, { pets, orders }: Left) => {
  const { title, way } = each
  const [order] = orders
  const revision = expect.any(String)
  const { status } = way.leaves
  const id = Number(pets[0]?.id ?? number)
  const pet = { ...storedPet(id, { name: nameOf(number), status }), order: order?.id, revision }
  const isUnknown = responses === '503' && pets.length === 0
  if (!isUnknown) expect(pets, title).toEqual(status ? [pet] : [])
  const indexed = { shard: 0, petIdShard: `${number}#0`, completeShard: 'false#0' }
  const values = { id: expect.any(Number), petId: number, complete: false, placedAt: A_TIME }
  const placed = { ...values, ...indexed, revision }
  expect(orders, title).toEqual(way.leaves.order ? [placed] : [])
}

/** Expects that each response is complete. */
const expectWholeResponses = (outcome: Outcome, left: Left) => {
  const expected = expectedResponses(outcome, left)
  for (const { event, response } of outcome.exchanges) {
    const { status, headers } = response
    const isReplay = 'Idempotent-Replayed' in headers && { 'Idempotent-Replayed': 'true' }
    const whole = { ...expected[status], status }
    expect(response, outcome.each.title).toEqual(
      responseTo(event, { ...whole, headers: { ...whole.headers, ...isReplay } }),
    )
  }
}

type Expected = Partial<ReturnType<typeof errorResponse>>

/** The responses by status. Those of success have the order if there is one, else the pet. */
const expectedResponses = ({ each, number }: Outcome, left: Left): Record<number, Expected> => {
  const { order, status } = each.way.leaves
  const [stored] = order ? left.orders : left.pets
  const id = Number(stored?.id)
  const pet = petOf(id, { name: nameOf(number), status })
  const placed = { id, petId: number, complete: false, placedAt: stored?.placedAt }
  const body = order ? placed : pet
  const ETag = `"${id}-${stored?.revision}"`
  const Location = `${service.basePath}${order ? '/store/orders' : '/pets'}/${id}`
  return {
    200: status ? { headers: { ETag }, body } : { body: [] },
    201: { headers: { Location, ETag }, body },
    404: errorResponse(404, 'not_found', `No pet has the id ${number}.`),
    412: errorResponse(412, 'precondition_failed', expect.stringContaining('current ETag')),
    503: unavailable,
  }
}
