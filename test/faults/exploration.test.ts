import { describe, expect, test, vi } from 'vitest'
import type { Item, Key, TransactAction } from '../../shared/data/database.ts'
import { reservationKeys } from '../../shared/data/reservations.ts'
import type { Transaction } from '../../shared/data/transaction.ts'
import { conflict } from '../../shared/model/api-error.ts'
import { tagOf } from '../../shared/model/etag.ts'
import type { Intent } from '../../shared/model/idempotency-key.ts'
import { filter, toys } from '../support/toys.ts'
import { explore } from './exploration.ts'
import { type Attempt, EIGHT_HOURS, hasRevision, nameOf, type Scenario, START } from './model.ts'

vi.stubEnv('WRITE_SHARDS', '1')

const { field, value, other } = filter
const { keyOf } = toys
const [body, otherBody] = [{ inscription: 'Rex' }, { inscription: 'Tom' }]

const intent: Intent = { clientId: 'ann', operation: 'create', key: 'a', request: 'one' }
const [reservationKey] = reservationKeys(intent) as [Key]

const create =
  (values: typeof body, intent?: Intent) =>
  (draws: string[]): Attempt => ({
    work: (tx) => toys.create(values, intent, tx),
    intent,
    draws: draws.map(Number),
    isWrong: (status, items) => {
      const request = items[nameOf(reservationKey)]?.request
      return status !== 422 || !request || request === intent?.request
    },
  })

/** A request for the resource 1, with `If-Match` if there are revisions. */
const conditional =
  (run: (ifMatch: string[] | undefined, tx: Transaction) => Promise<unknown>) =>
  (revisions: string[]): Attempt => {
    const tags = revisions[0] ? revisions.map((each) => tagOf(1, each)) : undefined
    const isWrong: Attempt['isWrong'] = (status, items) => {
      const item = items[nameOf(keyOf(1))]
      return item ? status !== 412 || !tags || tags.includes(tagOf(1, item.revision)) : status !== 404
    }
    return { work: (tx) => run(tags, tx), isWrong }
  }

const kinds: Record<string, (words: string[]) => Attempt> = {
  create: create(body, intent),
  createOther: create(otherBody, { ...intent, request: 'another' }),
  createFreely: create(body),
  change: conditional((ifMatch, tx) => toys.change(1, { inscription: 'Max' }, ifMatch, tx)),
  delete: conditional((ifMatch, tx) => toys.remove(1, ifMatch, tx)),
}

const resource = (id: number): [Key, Item] => [keyOf(id), { ...body, [field]: other, id, revision: 'x' }]
const expiresAt = (START + EIGHT_HOURS) / 1000
const created = JSON.stringify({ id: 1, ...body })
const reserved: [Key, Item] = [reservationKey, { request: 'one', created, expiresAt, revision: 'x' }]
/** What may be stored at first. */
const states = { nothing: [], resource: [resource(1)], reserved: [resource(1), reserved] }

/** Requests such as `change x, create 2 3`: a change with `If-Match` of the revision `x`, a create that draws these ids. */
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
    await tx.readTogether(keyOf(1), keyOf(2))
    const items = [await tx.read(keyOf(1)), await tx.read(keyOf(2))]
    if (items.some((item) => item?.[field] === value)) throw conflict('One was changed.')
    return toys.change(id, { [field]: value }, undefined, tx)
  },
  isWrong: (_, items) => Object.values(items).every((item) => item?.[field] === other),
})
const changeOneOfTwo = { attempts: [changeOne(1), changeOne(2)], stored: [resource(1), resource(2)] }

test.each<[requests: string, stored: keyof typeof states, ends: string, clock?: number]>([
  ['create, create, create', 'nothing', '201 replay replay | replay 201 replay | replay replay 201'],
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
  ['create 1, change a1, delete', 'nothing', '201 200 204 | 201 200 404 | 201 404 204 | 201 404 404'],
])('all orders of events of %s, with %s, lead to %s', async (text, state, ends, clock = 0) => {
  expect(await explore({ ...requests(text, state), clock })).toEqual({ ends })
})

test('in all orders of events, an item that was only read is as it was', async () => {
  expect(await explore(changeOneOfTwo)).toEqual({ ends: '200 409 | 409 200' })
})

describe('the exploration finds an error when the database ignores a condition', () => {
  test.each<[string, Scenario, isIgnored: (action: TransactAction, item?: Item) => unknown]>([
    ['A write undid another one.', requests('change, change', 'resource'), ({ write }, item) => write && item],
    [
      'A deleted resource came back.',
      requests('change, delete', 'resource'),
      ({ expected }, item) => expected && !item,
    ],
    ['An id got two resources.', requests('createFreely 1', 'resource'), ({ expected }) => !expected],
    ['A key created two resources.', requests('create, create', 'nothing'), ({ expected }) => !expected],
    ['A request took effect although what it had read was changed.', changeOneOfTwo, ({ write }) => !write],
  ])('%s', async (wrong, scenario, isIgnored) => {
    const holds: Scenario['holds'] = (item, action) => Boolean(isIgnored(action, item)) || hasRevision(item, action)

    expect(await explore({ ...scenario, holds })).toMatchObject({ wrong })
  })
})
