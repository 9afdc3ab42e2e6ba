import { describe, expect, test } from 'vitest'
import { reservationKeys } from '../../shared/data/reservations.ts'
import type { Action, Database, Item, Key, Transaction } from '../../shared/data/transaction.ts'
import { conflict } from '../../shared/model/api-error.ts'
import { type IfMatch, tagOf } from '../../shared/model/etag.ts'
import { fingerprintOf, type Intent } from '../../shared/model/idempotency-key.ts'
import type { Int64 } from '../../shared/model/int64.ts'
import { storedOrders } from '../../shared/orders/collection.ts'
import { orders } from '../../shared/orders/orders.ts'
import { pets } from '../../shared/pets/pets.ts'
import { NOW } from '../support/clock.ts'
import { runsAll } from './cases.ts'
import { type Attempt, type Commits, explore, hasRevision, nameOf, type Scenario } from './exploration.ts'

/** What the exploration needs of a collection. */
type Collection<Body, Changes> = {
  keyOf: (id: Int64) => Key
  create: (body: Body, intent: Intent | undefined, open: Transaction) => Promise<unknown>
  change: (id: Int64, changes: Changes, ifMatch: IfMatch | undefined, open: Transaction) => Promise<unknown>
  remove: (id: Int64, ifMatch: IfMatch | undefined, open: Transaction) => Promise<void>
}

const intentOf = (key: string): Intent => ({ clientId: 'ann', operation: 'create', key })
const reservationKey = (key: string) => reservationKeys(intentOf(key))[0] as Key

/** Requests for the resource 1 of a collection, and what is stored of it at first, with the revision `x`. */
const requestsOf = <Body extends object, Changes>(
  { keyOf, create, change, remove }: Collection<Body, Changes>,
  [body, otherBody]: [Body, Body],
  changes: Changes,
) => {
  const creates = (values: Body, key?: Intent) => (): Attempt => ({
    work: (open) => create(values, key, open),
    intent: key,
    isWrong: (status, items, isValid) => {
      const item = items[nameOf(reservationKey('a'))]
      return status !== 422 || !item || !isValid(item) || item.fingerprint === fingerprintOf(values)
    },
  })
  const works =
    (run: (ifMatch: string[] | undefined, open: Transaction) => Promise<unknown>) => (revisions: string[]) => {
      const tags = revisions[0] ? revisions.map((each) => tagOf(1, each)) : undefined
      const isWrong: Attempt['isWrong'] = (status, items) => {
        const item = items[nameOf(keyOf(1))]
        return item ? status !== 412 || !tags || tags.includes(tagOf(1, item.revision)) : status !== 404
      }
      return { work: (open: Transaction) => run(tags, open), isWrong }
    }
  const kinds: Record<string, (revisions: string[]) => Attempt> = {
    create: creates(body, intentOf('a')),
    createOther: creates(otherBody, intentOf('a')),
    createFreely: creates(body),
    change: works((ifMatch, open) => change(1, changes, ifMatch, open)),
    delete: works((ifMatch, open) => remove(1, ifMatch, open)),
  }
  const reservation = { id: 1, fingerprint: fingerprintOf(body), expiresAt: NOW / 1000 + 8 * 3600, revision: 'x' }
  const resource: [Key, Item] = [keyOf(1), { ...body, id: 1, revision: 'x' }]
  /** What may be stored at first: nothing; a resource; and a reservation that expires after eight hours. */
  const stored = {
    nothing: [],
    resource: [resource],
    reserved: [resource, [reservationKey('a'), reservation]] as Stored,
  }
  /** Requests such as `change x, create 2 3`: a change with `If-Match` of the revision `x`, a create that draws these ids. */
  return (requests: string, what: keyof typeof stored, others?: Partial<Scenario>): Scenario => ({
    attempts: requests.split(', ').map((request) => {
      const [kind = '', ...rest] = request.split(' ')
      return { ...(kinds[kind]?.(rest) as Attempt), draws: rest.map(Number) }
    }),
    stored: stored[what],
    ...others,
  })
}

type Stored = [Key, Item][]

const rex = { name: 'Rex', categoryId: 7, status: 'available' } as const
const ofPets = requestsOf(pets, [rex, { ...rex, name: 'Tom' }], { name: 'Max' })
const ofOrders = requestsOf(storedOrders, [1, 2].map((petId) => ({ petId, complete: false })) as never, {
  complete: true,
})

/** Expects that no order of events leads to an error, and how the requests end if none crashes. */
const expectEnds = async (scenario: Scenario, expected: string): Promise<void> => {
  const { wrong, events, ends } = await explore(scenario)

  expect({ wrong, events, ends: ends.join(' | ') }).toEqual({ wrong: undefined, events: [], ends: expected })
}

describe.each([
  ['pets', ofPets],
  ['orders', ofOrders],
])('all orders of events of %s', (_, scenarioOf) => {
  type Row = [requests: string, stored: Parameters<typeof scenarioOf>[1], ends: string, clock?: number]
  const rows: Row[] = [
    ['create, create, create', 'nothing', '201 replay replay | replay 201 replay | replay replay 201'],
    ['create, createOther, create', 'nothing', '201 422 replay | 422 201 422 | replay 422 201'],
    ['createOther, create', 'reserved', '201 422 | 201 replay | 422 201 | 422 replay', 1],
    ['create, create', 'nothing', '201 201 | 201 replay | replay 201', 4],
    ['create 1 2, create 2 1', 'resource', '201 replay | replay 201'],
    ['createFreely 1 2, createFreely 2', 'resource', '201 201'],
    ['change, change', 'resource', '200 200'],
    ['change x, change x, change x', 'resource', '200 412 412 | 412 200 412 | 412 412 200'],
    ['change x, delete x, delete x', 'resource', '200 412 412 | 404 204 404 | 404 404 204'],
    ['change x, change a1, change a1 x', 'resource', '200 200 412 | 200 412 200 | 412 412 200'],
    ['change x, change x, change', 'resource', '200 412 200 | 412 200 200 | 412 412 200'],
    ['change x, change a1, delete', 'resource', '200 200 204 | 200 404 204 | 200 412 204 | 404 404 204 | 404 412 204'],
    ['create 1, change a1, delete', 'nothing', '201 200 204 | 201 200 404 | 201 404 204 | 201 404 404'],
  ]
  const largeRows: Row[] = [
    ['change, change, change', 'resource', '200 200 200'],
    ['change, change, delete', 'resource', '200 200 204 | 200 404 204 | 404 200 204 | 404 404 204'],
    ['create, create', 'reserved', '201 201 | 201 replay | replay 201 | replay replay', 5],
    [
      ...(['create, create, create', 'reserved'] as const),
      ...(['201 replay replay | replay 201 replay | replay replay 201 | replay replay replay', 1] as const),
    ],
  ]

  test.each(runsAll ? [...rows, ...largeRows] : rows)('%s, with %s: %s', (requests, stored, ends, clock = 0) =>
    expectEnds(scenarioOf(requests, stored, { clock }), ends),
  )
})

const storedPet = (id: number): [Key, Item] => [pets.keyOf(id), { ...rex, id, revision: 'x' }]

/** Orders the pet 1. The retry of an order that was placed must not get a 409. */
const place = (key: string): Attempt => ({
  work: (open) => orders.place({ petId: 1 }, intentOf(key), open),
  intent: intentOf(key),
  isWrong: (_, items) => nameOf(reservationKey(key)) in items,
})

/** Changes a pet if both are available. */
const changeOne = (id: number): Attempt => ({
  work: async (open) => {
    const items = await open.read(pets.keyOf(1), pets.keyOf(2))
    if (items.some((item) => item?.status !== 'available')) throw conflict('One is not available.')
    return pets.change(id, { status: 'sold' }, undefined, open)
  },
  isWrong: (_, items) => Object.values(items).every(({ status }) => status === 'available'),
})

const placeTwice = { attempts: [place('a'), place('a'), place('b')], stored: [storedPet(1)] }
const changeBoth = { attempts: [changeOne(1), changeOne(2)], stored: [storedPet(1), storedPet(2)] }

test.each([
  ['a pet has one order', placeTwice, '201 replay 409 | 409 409 201 | replay 201 409'],
  ['an item that was only read is as it was', changeBoth, '200 409 | 409 200'],
])('in all orders of events, %s', (_, scenario, ends) => expectEnds(scenario, ends))

describe('the exploration finds an error', () => {
  /** Ignores the condition of some actions. */
  const ignoring = (isIgnored: (action: Action, item?: Item) => boolean): Partial<Scenario> => ({
    holds: (item, action) => isIgnored(action, item) || hasRevision(item, action),
  })
  const breaking = (change: (database: Database) => Partial<Database>): Partial<Scenario> => ({
    wrap: (database) => ({ ...database, ...change(database) }),
  })

  /** How many revisions of an item there have been since it was created. */
  const numberOf = (revision: string | undefined, key: Key, commits: Commits): number => {
    const action = commits[revision ?? '']?.actions.find((action) => nameOf(action.key) === nameOf(key))
    return action ? 1 + numberOf(action.expected, key, commits) : 0
  }
  const numbers: Scenario['holds'] = (item, { key, expected }, commits) =>
    numberOf(item?.revision, key, commits) === numberOf(expected, key, commits)

  const rerunIfBusy = breaking(({ write }) => ({
    write: (...call) => write(...call).then((outcome) => (outcome === 'busy' ? 'refused' : outcome)),
  }))
  const writeApart = breaking(({ write }) => ({
    write: async (token, [first, ...others]) => {
      if (first && others[0]) await write(`${token}-first`, [first])
      return write(token, others)
    },
  }))
  const replayCurrent = breaking(({ read }) => ({
    read: async (keys) => {
      const [item] = await read(keys)
      const [pet] = item?.fingerprint ? await read([pets.keyOf(1)]) : []
      return [pet ? { ...item, revision: pet.revision } : item]
    },
  }))
  const readApart = breaking(({ read }) => ({
    read: (keys) =>
      keys.reduce(
        async (items, key) => [...(await items), ...(await read([key]))],
        Promise.resolve<Awaited<ReturnType<typeof read>>>([]),
      ),
  }))

  const isNew = ({ expected }: Action): boolean => !expected

  test.each<[string, Scenario, string]>([
    [
      'the condition of an item that exists is ignored',
      ofPets(
        'change, change',
        'resource',
        ignoring((action, item) => Boolean(action.write && item)),
      ),
      'A write undid another one.',
    ],
    [
      'the condition of an item that was deleted is ignored',
      ofPets(
        'change, delete',
        'resource',
        ignoring((action, item) => !isNew(action) && !item),
      ),
      'A deleted resource came back.',
    ],
    [
      'the condition of a new resource is ignored',
      ofPets('createFreely 1', 'resource', ignoring(isNew)),
      'An id got two resources.',
    ],
    [
      'the condition of a new reservation is ignored',
      ofPets('create, create', 'nothing', ignoring(isNew)),
      'A key created two resources.',
    ],
    [
      'the condition of an item that was only read is ignored',
      { ...changeBoth, ...ignoring(({ write }) => !write) },
      'A request took effect although what it had read was changed.',
    ],
    [
      'revisions are numbers',
      ofPets('create, create', 'reserved', { clock: 1, holds: numbers }),
      'A key created two resources.',
    ],
    [
      'a request has a new token after a conflict',
      ofPets('createFreely', 'nothing', rerunIfBusy),
      'A request took effect twice.',
    ],
    [
      'a reservation is written apart from its resource',
      ofPets('create', 'nothing', writeApart),
      'A resource was created without its reservation.',
    ],
    [
      'a replay is of the current pet',
      ofPets('create, change', 'reserved', replayCurrent),
      'A response is of a resource that never was.',
    ],
    ['items are read one after the other', { ...placeTwice, ...readApart }, 'A request got a 409 for no reason.'],
  ])('when %s', async (_, scenario, expected) => {
    const { wrong } = await explore(scenario)

    expect(wrong).toBe(expected)
  })
})
