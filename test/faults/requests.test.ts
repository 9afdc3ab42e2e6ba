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

// The pet of a case has its number as its category, and as its id unless the request creates it.
const storePet = (id: number) => putItem('pets', storedPet(id, { categoryId: id }))

/** A way, its responses, and what is stored once it took effect. */
type StoringWay = Way & {
  /** The responses without faults: to the request, and to a retry if it has a key. */
  served: string
  /** The responses to the retries after a 503. */
  retried: string[]
  /** The status of the pet; without one, there is no pet. */
  leaves: PetStatus | undefined
}

const ways: Record<string, StoringWay> = {
  'a list': {
    event: (apiKey) =>
      eventFrom(apiKey, 'listPets-no-parameters', { query: { cursor: cursorAfter(2) } }),
    calls: [KEY, 'Query pets'],
    served: '200',
    retried: ['200'],
    leaves: undefined,
  },
  'a create without a key': {
    event: (apiKey, number) =>
      eventFrom(apiKey, 'createPet-created', {
        body: JSON.stringify({ ...newPet(), categoryId: number }),
      }),
    calls: [KEY, `${WRITE} pets`],
    served: '201',
    retried: [''],
    leaves: 'available',
  },
  'a change with a key': {
    exists: storePet,
    event: (apiKey, id) =>
      eventFrom(apiKey, 'updatePet-changed', {
        id: `${id}`,
        headers: { 'Idempotency-Key': `change-${id}` },
      }),
    calls: [KEY, RESERVATION, READ, `${WRITE} idempotencyKeys pets`],
    served: '200 replay',
    retried: ['200 replay', 'replay replay'],
    leaves: 'sold',
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
    leaves: 'sold',
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
    leaves: undefined,
  },
}

describe.concurrent('a request takes effect once and as a whole, or its response is a 503', () => {
  test.each(Object.entries(faultKinds))('%s', async (title, kind) => {
    const outcomes = await Promise.all(casesOf(ways, title, kind).map(runCase))

    const stored = await storedItems()
    for (const outcome of outcomes) {
      const pets = stored.filter(({ categoryId }) => categoryId === outcome.number)
      expectFaults(outcome)
      expectEffect(outcome, pets)
      expectWholeResponses(outcome, pets)
    }
  })
})

type Outcome = Awaited<ReturnType<typeof runCase<StoringWay>>>

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
const expectEffect = ({ each, number, responses }: Outcome, pets: StoredItem[]) => {
  const { title, way } = each
  const id = Number(pets[0]?.id ?? number)
  const left = storedPet(id, { categoryId: number, status: way.leaves })
  const isUnknown = responses === '503' && pets.length === 0
  const revision = expect.any(String)
  if (!isUnknown) expect(pets, title).toEqual(way.leaves ? [{ ...left, revision }] : [])
}

/** Expects that each response is complete. */
const expectWholeResponses = (outcome: Outcome, pets: StoredItem[]) => {
  const expected = expectedResponses(outcome, pets)
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

/** The responses by status. Those of success have the pet, if there is one. */
const expectedResponses = (
  { each, number }: Outcome,
  [pet]: StoredItem[],
): Record<number, Expected> => {
  const status = each.way.leaves
  const id = Number(pet?.id)
  const body = petOf(id, { categoryId: number, status })
  const ETag = `"${id}-${pet?.revision}"`
  return {
    200: status ? { headers: { ETag }, body } : { body: [] },
    201: { headers: { Location: `${service.basePath}/pets/${id}`, ETag }, body },
    404: errorResponse(404, 'not_found', `No pet has the id ${number}.`),
    412: errorResponse(412, 'precondition_failed', expect.stringContaining('current ETag')),
    503: unavailable,
  }
}
