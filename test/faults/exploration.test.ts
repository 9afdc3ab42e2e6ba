import { describe, expect, test, vi } from 'vitest'
import type { Item, Key, TransactAction } from '../../shared/data/database.ts'
import type { Transaction } from '../../shared/data/transaction.ts'
import { storedPets } from '../../shared/hold.ts'
import { conflict, notFound } from '../../shared/model/api-error.ts'
import { etagOf } from '../../shared/model/etag.ts'
import { type KeyedRequest, reservationId } from '../../shared/model/idempotency-key.ts'
import { pets } from '../../shared/pets/pets.ts'
import { newPet, petOf, storedPet } from '../support/pets.ts'
import { explore } from './exploration.ts'
import { type Attempt, EIGHT_HOURS, hasRevision, respond, type Scenario, START } from './model.ts'

vi.stubEnv('READ_SHARDS', '1')
vi.stubEnv('WRITE_SHARDS', '1')

const keyOf = (id: number): Key => ({ table: 'pets', value: id })

const create =
  (name: string) =>
  (draws: string[]): Attempt => ({
    status: 201,
    work: (tx) => pets.create(tx, newPet(name)),
    draws: draws.map(Number),
  })

/** Changes the pet 1, with `If-Match` if there are revisions. */
const change =
  (changes: Parameters<typeof pets.change>[2]) =>
  (revisions: string[]): Attempt => ({
    status: 200,
    work: (tx) => pets.change(tx, 1, changes, tagsOf(revisions)),
  })

/** Deletes the pet 1, with `If-Match` if there are revisions. */
const remove = (revisions: string[]): Attempt => ({
  status: 204,
  work: (tx) => pets.remove(tx, 1, tagsOf(revisions)),
})

const tagsOf = (revisions: string[]) =>
  revisions.length > 0 ? revisions.map((each) => etagOf(1, each)) : undefined

/** Changes the status of the pet 1 if it is another one. */
const offer = async (tx: Transaction) => {
  const { status } = await storedPets.read(tx, 1)
  return status === 'available' ? pets.get(tx, 1) : pets.change(tx, 1, { status: 'available' })
}

/** Changes the pet 1 after two reads at a time, which must find the same. */
const readTwice = async (tx: Transaction) => {
  const key = keyOf(1)
  const [first, second] = await Promise.all([tx.read(key), tx.read(key)])
  if (first?.revision !== second?.revision) throw conflict('They differ.')
  return pets.change(tx, 1, { name: 'Leo' })
}

/** Changes the pet 1, and then refuses to. */
const refuse = async (tx: Transaction) => {
  await pets.change(tx, 1, { name: 'Leo' })
  throw conflict('Leo is no name.')
}

const kinds: Record<string, (words: string[]) => Attempt> = {
  create: create('Rex'),
  createOther: create('Tom'),
  change: change({ name: 'Max' }),
  sell: change({ status: 'sold' }),
  delete: remove,
  offer: () => ({ status: 200, work: offer }),
  readTwice: () => ({ status: 200, work: readTwice }),
  refuse: () => ({ status: 200, work: refuse }),
}

/** All requests have the same key. Those of one kind are one request and its retries. */
const intentOf = (request: string): KeyedRequest => ({
  clientId: 'ann',
  operation: 'any',
  key: 'a',
  request,
})

const pet = (id: number): [Key, Item] => [keyOf(id), storedPet(id)]
const reservationKey: Key = { table: 'idempotencyKeys', value: reservationId(intentOf('create')) }
const reservation = {
  request: 'create',
  status: 201,
  body: JSON.stringify({ id: 1, ...newPet() }),
  etag: 'x',
  expiresAt: (START + EIGHT_HOURS) / 1000,
  revision: 'x',
}
/** What may be stored at first. */
const states = {
  nothing: [],
  'a pet': [pet(1)],
  'a reservation': [pet(1), [reservationKey, reservation]],
} satisfies Record<string, [Key, Item][]>

/**
 * Requests such as `change x, keyed create 2 3`: a change with `If-Match` of the revision `x`, a
 * create with the key that draws these ids.
 */
const requests = (text: string, state: keyof typeof states): Scenario => ({
  attempts: text.split(', ').flatMap((request) => {
    const [kind = '', ...words] = request.replace('keyed ', '').split(' ')
    const attempt = kinds[kind]?.(words) ?? []
    return request.startsWith('keyed ') ? { ...attempt, intent: intentOf(kind) } : attempt
  }),
  stored: states[state],
})

/** Sells a pet if neither of two is sold. */
const sellOne = (id: number): Attempt => ({
  status: 200,
  work: async (tx) => {
    const both = [await storedPets.read(tx, 1), await storedPets.read(tx, 2)]
    if (both.some(({ status }) => status === 'sold')) throw conflict('One is sold.')
    return pets.change(tx, id, { status: 'sold' })
  },
})
const sellOneOfTwo = { attempts: [sellOne(1), sellOne(2)], stored: [pet(1), pet(2)] }

/** Adds a pet if neither of two exists. */
const addOne = (id: number): Attempt => ({
  status: 200,
  work: async (tx) => {
    const both = [await storedPets.find(tx, 1), await storedPets.find(tx, 2)]
    if (both.some((item) => item)) throw conflict('One exists.')
    tx.put(keyOf(id), storedPets.itemOf(petOf(id)))
    return { resource: petOf(id), revision: tx.revision }
  },
})
const addOneOfTwo = { attempts: [addOne(1), addOne(2)] }

/** Gives two pets the same other status. */
const changeBoth: Attempt = {
  status: 200,
  work: async (tx) => {
    const before = await storedPets.read(tx, 1)
    const status = before.status === 'sold' ? 'available' : 'sold'
    await pets.change(tx, 2, { status })
    return pets.change(tx, 1, { status })
  },
}

/** Refuses with a 409 if two pets have a different status, else with a 404. */
const compare: Attempt = {
  status: 200,
  work: async (tx) => {
    const [first, second] = [await storedPets.read(tx, 1), await storedPets.read(tx, 2)]
    throw first.status === second.status ? notFound('They are equal.') : conflict('They differ.')
  },
}
const equals = { attempts: [changeBoth, changeBoth, compare], stored: [pet(1), pet(2)] }

test.each<[requests: string, stored: keyof typeof states, ends: string, clock?: number]>([
  [
    'keyed create, keyed create, keyed create',
    'nothing',
    '201 replay replay | replay 201 replay | replay replay 201',
  ],
  [
    'keyed create, keyed createOther, keyed create',
    'nothing',
    '201 422 replay | 422 201 422 | replay 422 201',
  ],
  [
    'keyed createOther, keyed create',
    'a reservation',
    '201 422 | 201 replay | 422 201 | 422 replay',
    1,
  ],
  ['keyed create, keyed create', 'nothing', '201 201 | 201 replay | replay 201', 4],
  ['keyed create 1 2, keyed create 2 1', 'a pet', '201 replay | replay 201'],
  ['create 1 2, create 2', 'a pet', '201 201'],
  ['change, change', 'a pet', '200 200'],
  ['change x, change x, change x', 'a pet', '200 412 412 | 412 200 412 | 412 412 200'],
  ['change x, delete x, delete x', 'a pet', '200 412 412 | 404 204 404 | 404 404 204'],
  ['change, change, delete', 'a pet', '200 200 204 | 200 404 204 | 404 200 204 | 404 404 204'],
  ['change x, change a1, change a1 x', 'a pet', '200 200 412 | 200 412 200 | 412 412 200'],
  ['keyed change, keyed change, change', 'a pet', '200 replay 200 | replay 200 200'],
  [
    'keyed change x, keyed change x, change',
    'a pet',
    '200 replay 200 | 412 replay 200 | replay 200 200 | replay 412 200',
  ],
  [
    'keyed change, keyed change, create 1',
    'nothing',
    '200 replay 201 | 404 replay 201 | replay 200 201 | replay 404 201',
  ],
  [
    'keyed delete, keyed delete, delete',
    'a pet',
    '204 replay 404 | 404 replay 204 | replay 204 404 | replay 404 204',
  ],
  ['keyed refuse, keyed refuse', 'a pet', '409 replay | replay 409'],
  ['keyed offer, keyed offer, sell', 'a pet', '200 replay 200 | replay 200 200'],
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
    ['An id got two resources.', requests('create 1', 'a pet'), ({ expected }) => !expected],
    [
      'A key took effect twice.',
      requests('keyed create, keyed create', 'nothing'),
      ({ expected }) => !expected,
    ],
    [
      'A key took effect twice.',
      requests('keyed change, keyed change', 'nothing'),
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

describe('the exploration finds an error when the pipeline', () => {
  const changeOfNothing = requests('keyed change, keyed change, create 1', 'nothing')

  test.each<[string, Scenario, pipeline: typeof respond, wrong: string]>([
    [
      'does not store refusals',
      changeOfNothing,
      (tx, attempt) => {
        const discard = () => Object.assign(tx, { put: () => {} })
        return respond(Object.assign(tx, { discard }), attempt)
      },
      'A request got a 404, and the key has another response.',
    ],
    [
      'ignores stored refusals',
      changeOfNothing,
      async (tx, attempt) => {
        const response = await respond(tx, attempt)
        const isIgnored = response.isReplay && response.status === 404
        return isIgnored ? respond(tx, { ...attempt, intent: undefined }) : response
      },
      'A response is wrong about whether its request took effect.',
    ],
    [
      'keeps what a refused request has put',
      requests('keyed refuse', 'a pet'),
      (tx, attempt) => respond(Object.assign(tx, { discard: () => {} }), attempt),
      'A request got a 409 and took effect.',
    ],
    [
      'lets out what was true at no moment',
      equals,
      (tx, attempt) => respond(Object.assign(tx, { isOneMoment: async () => true }), attempt),
      'A request got a 409 for no reason.',
    ],
  ])('%s', async (_, scenario, pipeline, wrong) => {
    expect(await explore({ ...scenario, pipeline })).toMatchObject({ wrong })
  })
})
