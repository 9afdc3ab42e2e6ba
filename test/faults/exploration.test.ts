import { describe, expect, test, vi } from 'vitest'
import type { Item, Key, TransactAction } from '../../shared/data/database.ts'
import type { Transaction } from '../../shared/data/transaction.ts'
import { conflict, notFound } from '../../shared/model/api-error.ts'
import { tagOf } from '../../shared/model/etag.ts'
import { type Intent, intentDigest } from '../../shared/model/idempotency-key.ts'
import { filter, storedToys } from '../support/toys.ts'
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

const { field, value, other } = filter
const { keyOf } = storedToys
const [body, otherBody] = [{ inscription: 'Rex' }, { inscription: 'Tom' }]

const intent: Intent = { clientId: 'ann', operation: 'create', key: 'a', request: 'one' }
const reservationKey: Key = { table: 'idempotencyKeys', value: intentDigest(intent) }

/** Whether a 422 is wrong, the only error that these requests may get. */
const isWrongFor =
  (sent?: Intent): Attempt['isWrong'] =>
  (status, items) => {
    const request = items[nameOf(reservationKey)]?.request
    return status !== 422 || !request || request === sent?.request
  }

const create =
  (values: typeof body, intent?: Intent) =>
  (draws: string[]): Attempt => ({
    work: once(201, (tx) => storedToys.create(tx, values), intent),
    intent,
    draws: draws.map(Number),
    isWrong: isWrongFor(intent),
  })

/** A request with a key that changes the resource 1. */
const act = (work: Work) => (): Attempt => ({
  work: once(200, work, intent),
  intent,
  isWrong: isWrongFor(intent),
})

/** Changes the field of the resource 1 if it has another value. */
const ensureOther: Work = async (tx) => {
  const item = await storedToys.read(tx, 1)
  return item[field] === other
    ? storedToys.get(tx, 1)
    : storedToys.change(tx, 1, { [field]: other })
}

/** A request for the resource 1, with `If-Match` if there are revisions. */
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

/** Changes the resource 1 after two reads at a time, which must find the same. */
const readTwice = async (_: unknown, tx: Transaction) => {
  const [first, second] = await Promise.all([tx.read(keyOf(1)), tx.read(keyOf(1))])
  if (first?.revision !== second?.revision) throw conflict('They differ.')
  return storedToys.change(tx, 1, { inscription: 'Leo' })
}

const kinds: Record<string, (words: string[]) => Attempt> = {
  create: create(body, intent),
  createOther: create(otherBody, { ...intent, request: 'another' }),
  createFreely: create(body),
  change: conditional((ifMatch, tx) => storedToys.change(tx, 1, { inscription: 'Max' }, ifMatch)),
  delete: conditional((ifMatch, tx) => storedToys.remove(tx, 1, ifMatch)),
  paint: conditional((ifMatch, tx) => storedToys.change(tx, 1, { [field]: value }, ifMatch)),
  act: act((tx) => storedToys.change(tx, 1, { inscription: 'Leo' })),
  ensureOther: act(ensureOther),
  readTwice: conditional(readTwice),
}

const resource = (id: number): [Key, Item] => [
  keyOf(id),
  { ...body, [field]: other, id, revision: 'x' },
]
const expiresAt = (START + EIGHT_HOURS) / 1000
const reservation = {
  request: 'one',
  status: 201,
  body: JSON.stringify({ id: 1, ...body }),
  tag: 'x',
}
const reserved: [Key, Item] = [reservationKey, { ...reservation, expiresAt, revision: 'x' }]
/** What may be stored at first. */
const states = { nothing: [], resource: [resource(1)], reserved: [resource(1), reserved] }

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

/** Changes a resource if neither of two was changed. */
const changeOne = (id: number): Attempt => ({
  work: async (tx) => {
    const items = [await tx.read(keyOf(1)), await tx.read(keyOf(2))]
    if (items.some((item) => item?.[field] === value)) throw conflict('One was changed.')
    return storedToys.change(tx, id, { [field]: value })
  },
  isWrong: (_, items) => Object.values(items).every((item) => item?.[field] === other),
})
const changeOneOfTwo = {
  attempts: [changeOne(1), changeOne(2)],
  stored: [resource(1), resource(2)],
}

/** Gives two resources the same other value. */
const changeBoth: Attempt = {
  work: async (tx) => {
    const { [field]: before } = await storedToys.read(tx, 1)
    const changes = { [field]: before === value ? other : value }
    await storedToys.change(tx, 2, changes)
    return storedToys.change(tx, 1, changes)
  },
  isWrong: () => true,
}

/** Refuses with a 409 if two resources have different values, else with a 404. */
const compare: Attempt = {
  work: async (tx) => {
    const items = [await tx.read(keyOf(1)), await tx.read(keyOf(2))]
    throw items[0]?.[field] === items[1]?.[field]
      ? notFound('They are equal.')
      : conflict('They differ.')
  },
  isWrong: (status) => status === 409,
}
const equals = { attempts: [changeBoth, changeBoth, compare], stored: [resource(1), resource(2)] }

test.each<[requests: string, stored: keyof typeof states, ends: string, clock?: number]>([
  [
    'create, create, create',
    'nothing',
    '201 replay replay | replay 201 replay | replay replay 201',
  ],
  ['create, createOther, create', 'nothing', '201 422 replay | 422 201 422 | replay 422 201'],
  ['createOther, create', 'reserved', '201 422 | 201 replay | 422 201 | 422 replay', 1],
  ['create, create', 'nothing', '201 201 | 201 replay | replay 201', 4],
  ['create 1 2, create 2 1', 'resource', '201 replay | replay 201'],
  ['createFreely 1 2, createFreely 2', 'resource', '201 201'],
  ['change, change', 'resource', '200 200'],
  ['change x, change x, change x', 'resource', '200 412 412 | 412 200 412 | 412 412 200'],
  ['change x, delete x, delete x', 'resource', '200 412 412 | 404 204 404 | 404 404 204'],
  ['change, change, delete', 'resource', '200 200 204 | 200 404 204 | 404 200 204 | 404 404 204'],
  ['change x, change a1, change a1 x', 'resource', '200 200 412 | 200 412 200 | 412 412 200'],
  ['act, act, change', 'resource', '200 replay 200 | replay 200 200'],
  ['ensureOther, ensureOther, paint', 'resource', '200 replay 200 | replay 200 200'],
  ['readTwice, change', 'resource', '200 200'],
  [
    'create 1, change a1, delete',
    'nothing',
    '201 200 204 | 201 200 404 | 201 404 204 | 201 404 404',
  ],
])('all orders of events of %s, with %s, lead to %s', async (text, state, ends, clock = 0) => {
  expect(await explore({ ...requests(text, state), clock })).toEqual({ ends })
})

test('in all orders of events, an item that was only read is as it was', async () => {
  expect(await explore(changeOneOfTwo)).toEqual({ ends: '200 409 | 409 200' })
})

test('in all orders of events, nothing is refused for what was true at no moment', async () => {
  expect(await explore(equals)).toEqual({ ends: '200 200 404' })
})

describe('the exploration finds an error when the database ignores a condition', () => {
  test.each<[string, Scenario, isIgnored: (action: TransactAction, item?: Item) => unknown]>([
    [
      'A write undid another one.',
      requests('change, change', 'resource'),
      ({ kind }, item) => kind !== 'check' && item,
    ],
    [
      'A deleted resource came back.',
      requests('change, delete', 'resource'),
      ({ expected }, item) => expected && !item,
    ],
    [
      'An id got two resources.',
      requests('createFreely 1', 'resource'),
      ({ expected }) => !expected,
    ],
    [
      'A key took effect twice.',
      requests('create, create', 'nothing'),
      ({ expected }) => !expected,
    ],
    [
      'A request took effect although what it had read was changed.',
      changeOneOfTwo,
      ({ kind }) => kind === 'check',
    ],
  ])('%s', async (wrong, scenario, isIgnored) => {
    const holds: Scenario['holds'] = (item, action) =>
      Boolean(isIgnored(action, item)) || hasRevision(item, action)

    expect(await explore({ ...scenario, holds })).toMatchObject({ wrong })
  })
})
