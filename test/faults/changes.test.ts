import { describe, expect, test } from 'vitest'
import type { Event } from '../../shared/http.ts'
import { againIfBusy, type StoredPet, storedPets, storeKey, storePet } from '../support/database.ts'
import { errorResponse, responseTo, unavailable } from '../support/events.ts'
import { type Case, casesOf, faultKinds, possible, runCase, startFaults, type Way, withoutFaults } from './cases.ts'
import { type Attempt, type CarryOut, carryOut, exploreChanges, ID, write } from './change-model.ts'
import { changeEvent, deleteEvent, type Exchange, isInTime, isServed, send, sendUntil } from './container.ts'

/** A way to change or delete a pet, the statuses that a client gets, at first or after a 503, and what is stored then. */
type ChangeWay = Way & {
  event: (id: number, apiKey: string) => Event
  status: number
  afterwards: readonly number[]
  leaves: 'changed' | 'deleted' | 'unchanged'
}

const KEY = 'GetItem ApiKeys'
const UPDATE = 'UpdateItem Pets'
const READ = 'GetItem Pets'
const DELETED = 7

await storePet({ id: DELETED, creation: 'x', deletion: 'y', expiresAt: 4_000_000_000 })

const change = (id: number, apiKey: string, ifMatch?: string) =>
  changeEvent(id, { name: 'Max', status: 'sold' }, apiKey, ifMatch)
const ofFirstRevision = (id: number, apiKey: string) => change(id, apiKey, `"${id}"`)
const ofOtherRevision = (id: number, apiKey: string) => change(id, apiKey, `"${'ab'.repeat(16)}"`)
const deleteFirstRevision = (id: number, apiKey: string) => deleteEvent(id, apiKey, `"${id}"`)
const deleteAgain = (_: number, apiKey: string) => deleteEvent(DELETED, apiKey)

// A change or a delete that gets a 503 may have taken effect.
const changes = { status: 200, leaves: 'changed' } as const
const deletes = { status: 204, afterwards: [204, 404], leaves: 'deleted' } as const
const resent = { calls: [KEY, UPDATE, UPDATE, READ], loses: UPDATE }
const ways: Record<string, ChangeWay> = {
  'a change': { calls: [KEY, UPDATE], event: change, afterwards: [200], ...changes },
  'a change of a revision': { calls: [KEY, UPDATE], event: ofFirstRevision, afterwards: [200, 412], ...changes },
  'a change of a revision whose response is lost': {
    ...{ ...resent, event: ofFirstRevision, afterwards: [200, 412], ...changes },
  },
  // If the SDK has sent it several times, nobody can tell whether the first one was too late or took effect.
  'a change of another revision': {
    ...{ calls: [KEY, UPDATE, READ], isUnknownIfResent: true, event: ofOtherRevision },
    ...{ status: 412, afterwards: [412], leaves: 'unchanged' },
  },
  'a delete': { calls: [KEY, UPDATE], event: deleteEvent, ...deletes },
  'a delete of a revision': { calls: [KEY, UPDATE], event: deleteFirstRevision, ...deletes },
  'a delete whose response is lost': { ...resent, event: deleteEvent, ...deletes },
  'a delete of a deleted pet': {
    ...{ calls: [KEY, UPDATE, READ], event: deleteAgain, status: 404, afterwards: [404], leaves: 'unchanged' },
  },
}

test.each(Object.entries(ways))('%s sends no unnecessary requests to the database', againIfBusy, async (title, way) => {
  const { calls, exchanges } = await run(withoutFaults(title, way))

  expect(exchanges[0].response.status).toBe(way.status)
  expect(calls).toEqual(way.calls)
})

describe.concurrent('changes and deletes a pet wholly or returns a 503, whichever requests to the database meet', () => {
  test.each(Object.entries(faultKinds))('%s', async (title, kind) => {
    const outcomes = await Promise.all(casesOf(ways, title, kind).map(run))

    const stored = await storedPets()
    for (const outcome of outcomes) expectWhole(outcome, stored)
  })
})

let lastId = 1000

/** The requests to the database and the faults during the first request, and all requests until one is served. */
const run = (each: Case<ChangeWay>) =>
  runCase(each, async (container) => {
    const id = ++lastId
    await storePet({ ...petOf(id), shard: 0, statusShard: 'available#0', creation: 'x' })
    const event = each.way.event(id, await storeKey())
    const endFaults = startFaults(container, each)
    const exchanges: [Exchange, ...Exchange[]] = [await send(container, event)]
    const met = await endFaults()
    if (!isServed(exchanges[0])) exchanges.push(...(await sendUntil(container, event, isServed)))
    return { each, id, exchanges, ...met }
  })

const petOf = (id: number) => ({ id, name: 'Rex', categoryId: 7, status: 'available' })

/** Expects that the pet is as the responses say, and that each response is complete. */
const expectWhole = ({ each, id, exchanges, faults }: Awaited<ReturnType<typeof run>>, stored: StoredPet[]): void => {
  const { event, status, afterwards, leaves } = each.way
  const [first, ...more] = exchanges
  if (isInTime(first)) expect(faults, each.title).toBeGreaterThan(0)
  const { success, failure } = possible(each, first)
  const statuses = [first, ...more.filter(isServed)].map(({ response }) => response.status).join(' ')
  const expected = [...(success ? [`${status}`] : []), ...(failure ? afterwards.map((last) => `503 ${last}`) : [])]
  expect({ title: each.title, statuses }).toEqual({ title: each.title, statuses: expect.toBeOneOf(expected) })

  const changed = { ...petOf(id), name: 'Max', status: 'sold' }
  const responses: Record<number, Parameters<typeof responseTo>[1]> = {
    200: { status: 200, headers: { ETag: expect.stringMatching(/^"[\da-f]{32}-\d+"$/) }, body: changed },
    204: { status: 204 },
    404: errorResponse(404, 'not_found', `No pet has the id ${event === deleteAgain ? DELETED : id}.`),
    412: errorResponse(
      412,
      'precondition_failed',
      'The resource does not have the revision in If-Match. Read it again, and send its current ETag, without W/.',
    ),
    503: unavailable,
  }
  for (const { event, response } of exchanges) {
    expect(response).toEqual(responseTo(event, responses[response.status] ?? unavailable))
  }
  const items = {
    changed: {
      ...changed,
      shard: 0,
      statusShard: 'sold#0',
      creation: 'x',
      revision: expect.any(String),
      changes: expect.any(Number),
    },
    deleted: {
      id,
      creation: 'x',
      deletion: expect.any(String),
      expiresAt: expect.any(Number),
      changes: expect.any(Number),
    },
    unchanged: { ...petOf(id), shard: 0, statusShard: 'available#0', creation: 'x' },
  }
  expect(stored.find((pet) => pet.id === id)).toEqual(items[leaves])
}

const [A = '', B = '', C = ''] = ['a', 'b', 'c'].map((digit) => digit.repeat(32))
const FIRST = `${A}-1`
const changing = (token: string, ...ifMatch: string[]): Attempt => ({ token, ifMatch })
const deleting = (token: string, ...ifMatch: string[]): Attempt => ({ token, ifMatch, deletes: true })

describe('of the changes of one revision, one takes effect, whatever crashes, gets lost or comes late', () => {
  test.each<[string, Attempt[], number, string[]]>([
    ['two changes', [changing(A, ID), changing(B, ID)], 3, ['200 412', '412 200']],
    ['a change and a delete', [changing(A, ID), deleting(B, ID)], 3, ['200 412', '404 204']],
    ['two deletes', [deleting(A, ID), deleting(B, ID)], 3, ['204 404', '404 204']],
    [
      'changes of two revisions',
      [changing(A, ID), changing(B, FIRST), changing(C, FIRST, ID)],
      2,
      ['200 200 412', '200 412 200', '412 412 200'],
    ],
    [
      'changes of two revisions, and any delete',
      [changing(A, ID), changing(B, FIRST), { token: C, deletes: true }],
      2,
      ['200 200 204', '200 404 204', '200 412 204', '404 200 204', '404 404 204', '404 412 204'],
    ],
    // If the SDK resends a change of any revision, it may take effect twice.
    [
      'two changes of the revision that a change of any revision made',
      [{ token: C }, changing(A, `${C}-1`), changing(B, `${C}-1`)],
      2,
      ['200 200 412', '200 412 200', '200 412 412'],
    ],
    [
      'two changes, and one of any revision',
      [changing(A, ID), changing(B, ID), { token: C }],
      2,
      ['200 412 200', '412 200 200', '412 412 200'],
    ],
  ])('%s', async (_, attempts, mayLose, expected) => {
    const { wrong, ends } = await exploreChanges({ attempts, mayLose })

    const statuses = ends.map(({ statuses }) => attempts.map(({ token }) => statuses[token] ?? 'crashed').join(' '))
    const certain = new Set(statuses.filter((each) => !/crashed|503/.test(each)))
    expect({ wrong, statuses: [...certain].sort() }).toEqual({ wrong: undefined, statuses: expected })
  })
})

describe('the exploration finds an error', () => {
  /** Stores changes, whatever their condition, if this is stored. */
  const unconditional = (when: (item: object) => boolean): CarryOut => {
    return (store, call, sent) => (!call.isRead && when(store.item) ? write(store, call) : carryOut(store, call, sent))
  }
  /** Reads the pet without an attribute. */
  const without = (name: string): CarryOut => {
    return (store, call, sent) =>
      call.isRead ? { result: { ...store.item, [name]: undefined }, store } : carryOut(store, call, sent)
  }

  test.each<[string, CarryOut, string]>([
    ['a deleted pet is changed', unconditional((item) => 'deletion' in item), 'A deleted pet was changed.'],
    ['any changed pet is changed', unconditional((item) => 'revision' in item), 'A change undid another one.'],
    ['any unchanged pet is changed', unconditional((item) => !('revision' in item)), 'A change undid another one.'],
    [
      'a change leaves the revision as it is',
      (store, call, sent) => {
        const { result, store: after } = carryOut(store, call, sent)
        return { result, store: { ...after, item: { ...after.item, revision: undefined, changes: undefined } } }
      },
      'A change undid another one.',
    ],
    [
      'the SDK hides that it has resent a write',
      (store, call) => carryOut(store, call, 1),
      'A refused change took effect.',
    ],
    [
      'a change is not stored although it succeeds',
      (store, call, sent) => ({ ...carryOut(store, call, sent), store }),
      'A request got a success that is not its own.',
    ],
    ['a change is not recognized', without('revision'), 'A request did not find its own change.'],
    ['a delete is not recognized', without('deletion'), 'A request did not find its own change.'],
  ])('when %s', async (_, database, expected) => {
    const attempts = [changing(A, ID), changing(B, FIRST), deleting(C, FIRST, ID)]

    const { wrong } = await exploreChanges({ attempts, mayLose: 2 }, database)

    expect(wrong).toBe(expected)
  })
})
