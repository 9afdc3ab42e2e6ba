import { describe, expect, test, vi } from 'vitest'
import type { Item, Key, TransactAction } from '../../shared/data/database.ts'
import type { Transaction } from '../../shared/data/transaction.ts'
import { conflict, notFound } from '../../shared/model/api-error.ts'
import { tagOf } from '../../shared/model/etag.ts'
import { type Intent, intentDigest } from '../../shared/model/idempotency-key.ts'
import { pets } from '../../shared/pets/pets.ts'
import { newPet, petOf, storedPet } from '../support/pets.ts'
import { explore } from './exploration.ts'
import {
  type Attempt,
  EIGHT_HOURS,
  hasRevision,
  nameOf,
  once,
  type Scenario,
  START,
  type Work,
} from './model.ts'

vi.stubEnv('READ_SHARDS', '1')
vi.stubEnv('WRITE_SHARDS', '1')

const intent: Intent = { clientId: 'ann', operation: 'createPet', key: 'a', request: 'one' }
const keyOf = (id: number): Key => ({ table: 'pets', value: id })
const reservationKey: Key = { table: 'idempotencyKeys', value: intentDigest(intent) }

/** Whether a 422 is wrong, the only error that these requests may get. */
const isWrongFor =
  (sent?: Intent): Attempt['isWrong'] =>
  (status, items) => {
    const request = items[nameOf(reservationKey)]?.request
    return status !== 422 || !request || request === sent?.request
  }

const create =
  (name: string, intent?: Intent) =>
  (draws: string[]): Attempt => ({
    work: once(201, (tx) => pets.create(tx, newPet(name)), intent),
    intent,
    draws: draws.map(Number),
    isWrong: isWrongFor(intent),
  })

/** A request with a key that changes the pet 1. */
const act = (work: Work) => (): Attempt => ({
  work: once(200, work, intent),
  intent,
  isWrong: isWrongFor(intent),
})

/** Changes the status of the pet 1 if it is another one. */
const offer: Work = async (tx) => {
  const { status } = await pets.read(tx, 1)
  return status === 'available' ? pets.get(tx, 1) : pets.change(tx, 1, { status: 'available' })
}

/** A request for the pet 1, with `If-Match` if there are revisions. */
const conditional =
  (run: (ifMatch: string[] | undefined, tx: Transaction) => Promise<unknown>) =>
  (revisions: string[]): Attempt => {
    const tags = revisions[0] ? revisions.map((each) => tagOf(1, each)) : undefined
    const isWrong: Attempt['isWrong'] = (status, items) => {
      const item = items[nameOf(keyOf(1))]
      return item
        ? status !== 412 || !tags || tags.includes(tagOf(1, item.revision))
        : status !== 404
    }
    return { work: (tx) => run(tags, tx), isWrong }
  }

/** Changes the pet 1 after two reads at a time, which must find the same. */
const readTwice = async (_: unknown, tx: Transaction) => {
  const key = keyOf(1)
  const [first, second] = await Promise.all([tx.read(key), tx.read(key)])
  if (first?.revision !== second?.revision) throw conflict('They differ.')
  return pets.change(tx, 1, { name: 'Leo' })
}

const kinds: Record<string, (words: string[]) => Attempt> = {
  create: create('Rex', intent),
  createOther: create('Tom', { ...intent, request: 'another' }),
  createFreely: create('Rex'),
  change: conditional((ifMatch, tx) => pets.change(tx, 1, { name: 'Max' }, ifMatch)),
  delete: conditional((ifMatch, tx) => pets.remove(tx, 1, ifMatch)),
  sell: conditional((ifMatch, tx) => pets.change(tx, 1, { status: 'sold' }, ifMatch)),
  act: act((tx) => pets.change(tx, 1, { name: 'Leo' })),
  offer: act(offer),
  readTwice: conditional(readTwice),
}

const pet = (id: number): [Key, Item] => [keyOf(id), storedPet(id)]
const expiresAt = (START + EIGHT_HOURS) / 1000
const reservation = {
  request: 'one',
  status: 201,
  body: JSON.stringify({ id: 1, ...newPet() }),
  tag: 'x',
}
const reserved: [Key, Item] = [reservationKey, { ...reservation, expiresAt, revision: 'x' }]
/** What may be stored at first. */
const states = { nothing: [], 'a pet': [pet(1)], 'a reservation': [pet(1), reserved] }

/**
 * Requests such as `change x, create 2 3`: a change with `If-Match` of the revision `x`, a create
 * that draws these ids.
 */
const requests = (text: string, state: keyof typeof states): Scenario => ({
  attempts: text.split(', ').flatMap((request) => {
    const [kind = '', ...words] = request.split(' ')
    return kinds[kind]?.(words) ?? []
  }),
  stored: states[state],
})

/** Sells a pet if neither of two is sold. */
const sellOne = (id: number): Attempt => ({
  work: async (tx) => {
    const both = [await pets.read(tx, 1), await pets.read(tx, 2)]
    if (both.some(({ status }) => status === 'sold')) throw conflict('One is sold.')
    return pets.change(tx, id, { status: 'sold' })
  },
  isWrong: (_, items) => Object.values(items).every((item) => item?.status === 'available'),
})
const sellOneOfTwo = { attempts: [sellOne(1), sellOne(2)], stored: [pet(1), pet(2)] }

/** Adds a pet if neither of two exists. */
const addOne = (id: number): Attempt => ({
  work: async (tx) => {
    const both = [await pets.find(tx, 1), await pets.find(tx, 2)]
    if (both.some((item) => item)) throw conflict('One exists.')
    tx.put(keyOf(id), pets.itemOf(petOf(id)))
    return { resource: petOf(id), revision: tx.revision }
  },
  isWrong: (_, items) => Object.keys(items).length === 0,
})
const addOneOfTwo = { attempts: [addOne(1), addOne(2)] }

/** Gives two pets the same other status. */
const changeBoth: Attempt = {
  work: async (tx) => {
    const before = await pets.read(tx, 1)
    const status = before.status === 'sold' ? 'available' : 'sold'
    await pets.change(tx, 2, { status })
    return pets.change(tx, 1, { status })
  },
  isWrong: () => true,
}

/** Refuses with a 409 if two pets have a different status, else with a 404. */
const compare: Attempt = {
  work: async (tx) => {
    const [first, second] = [await pets.read(tx, 1), await pets.read(tx, 2)]
    throw first.status === second.status ? notFound('They are equal.') : conflict('They differ.')
  },
  isWrong: (status) => status === 409,
}
const equals = { attempts: [changeBoth, changeBoth, compare], stored: [pet(1), pet(2)] }

test.each<[requests: string, stored: keyof typeof states, ends: string, clock?: number]>([
  [
    'create, create, create',
    'nothing',
    '201 replay replay | replay 201 replay | replay replay 201',
  ],
  ['create, createOther, create', 'nothing', '201 422 replay | 422 201 422 | replay 422 201'],
  ['createOther, create', 'a reservation', '201 422 | 201 replay | 422 201 | 422 replay', 1],
  ['create, create', 'nothing', '201 201 | 201 replay | replay 201', 4],
  ['create 1 2, create 2 1', 'a pet', '201 replay | replay 201'],
  ['createFreely 1 2, createFreely 2', 'a pet', '201 201'],
  ['change, change', 'a pet', '200 200'],
  ['change x, change x, change x', 'a pet', '200 412 412 | 412 200 412 | 412 412 200'],
  ['change x, delete x, delete x', 'a pet', '200 412 412 | 404 204 404 | 404 404 204'],
  ['change, change, delete', 'a pet', '200 200 204 | 200 404 204 | 404 200 204 | 404 404 204'],
  ['change x, change a1, change a1 x', 'a pet', '200 200 412 | 200 412 200 | 412 412 200'],
  ['act, act, change', 'a pet', '200 replay 200 | replay 200 200'],
  ['offer, offer, sell', 'a pet', '200 replay 200 | replay 200 200'],
  ['readTwice, change', 'a pet', '200 200'],
  [
    'create 1, change a1, delete',
    'nothing',
    '201 200 204 | 201 200 404 | 201 404 204 | 201 404 404',
  ],
])('all orders of events of %s, with %s, lead to %s', async (text, state, ends, clock = 0) => {
  expect(await explore({ ...requests(text, state), clock })).toEqual({ ends })
})

test.each([
  ['an item that was only read is as it was', sellOneOfTwo],
  ['what was only found to be missing still is', addOneOfTwo],
])('in all orders of events, %s', async (_, scenario) => {
  expect(await explore(scenario)).toEqual({ ends: '200 409 | 409 200' })
})

test('in all orders of events, nothing is refused for what was true at no moment', async () => {
  expect(await explore(equals)).toEqual({ ends: '200 200 404' })
})

describe('the exploration finds an error when the database ignores a condition', () => {
  test.each<[string, Scenario, isIgnored: (action: TransactAction, item?: Item) => unknown]>([
    [
      'A write undid another one.',
      requests('change, change', 'a pet'),
      ({ kind }, item) => kind !== 'check' && item,
    ],
    [
      'A deleted resource came back.',
      requests('change, delete', 'a pet'),
      ({ expected }, item) => expected && !item,
    ],
    ['An id got two resources.', requests('createFreely 1', 'a pet'), ({ expected }) => !expected],
    [
      'A key took effect twice.',
      requests('create, create', 'nothing'),
      ({ expected }) => !expected,
    ],
    [
      'A request took effect although what it had read was changed.',
      sellOneOfTwo,
      ({ kind }) => kind === 'check',
    ],
  ])('%s', async (wrong, scenario, isIgnored) => {
    const holds: Scenario['holds'] = (item, action) =>
      Boolean(isIgnored(action, item)) || hasRevision(item, action)

    expect(await explore({ ...scenario, holds })).toMatchObject({ wrong })
  })
})
