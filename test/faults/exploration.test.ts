import { describe, expect, test } from 'vitest'
import { reservationKeys } from '../../shared/data/reservations.ts'
import type { Action, Database, Item, Key, Transaction } from '../../shared/data/transaction.ts'
import { ApiError } from '../../shared/model/api-error.ts'
import { type IfMatch, tagOf } from '../../shared/model/etag.ts'
import { fingerprintOf, type Intent } from '../../shared/model/idempotency-key.ts'
import type { Int64 } from '../../shared/model/int64.ts'
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
const intent = intentOf('order-1742')
const [reservationKey] = reservationKeys(intent) as [Key]

/** Requests of a collection, and what is stored of the resource 1: its revision is `x`, its reservation expires after eight hours. */
const requestsOf = <Body extends object, Changes>(
  { keyOf, create, change, remove }: Collection<Body, Changes>,
  [body, otherBody]: [Body, Body],
  changes: Changes,
) => {
  const creates = (key: Intent | undefined, draws: number[], values = body): Attempt => ({
    work: (open) => create(values, key, open),
    intent: key,
    draws,
    isWrong: (status, items, isValid) => {
      const reservation = items[nameOf(reservationKey)]
      return (
        status !== 422 || !reservation || !isValid(reservation) || reservation.fingerprint === fingerprintOf(values)
      )
    },
  })
  const ofRevisions = (
    revisions: string[],
    work: (ifMatch: IfMatch | undefined, open: Transaction) => Promise<unknown>,
  ) => {
    const tags = revisions.length > 0 ? revisions.map((each) => tagOf(1, each)) : undefined
    const isWrong: Attempt['isWrong'] = (status, items) => {
      const item = items[nameOf(keyOf(1))]
      return item ? status !== 412 || tags?.includes(tagOf(1, item.revision)) !== false : status !== 404
    }
    return { work: (open: Transaction) => work(tags, open), isWrong }
  }
  const reservation = {
    intent: reservationKey.value,
    id: 1,
    fingerprint: fingerprintOf(body),
    expiresAt: NOW / 1000 + 8 * 3600,
    revision: 'x',
  }
  const resource: [Key, Item] = [keyOf(1), { ...body, id: 1, revision: 'x' }]
  return {
    create: (...draws: number[]) => creates(intent, draws),
    createOther: () => creates(intent, [], otherBody),
    createWithoutKey: (...draws: number[]) => creates(undefined, draws),
    change: (...revisions: string[]) => ofRevisions(revisions, (ifMatch, open) => change(1, changes, ifMatch, open)),
    remove: (...revisions: string[]) => ofRevisions(revisions, (ifMatch, open) => remove(1, ifMatch, open)),
    resource: [resource],
    reserved: [resource, [reservationKey, reservation]] as [Key, Item][],
  }
}

const rex = { name: 'Rex', categoryId: 7, status: 'available' } as const
const collections = { pets: requestsOf(pets, [rex, { ...rex, name: 'Tom' }], { name: 'Max' }) }

/** Expects that no order of events leads to an error, and how the requests end if none crashes. */
const expectEnds = async (scenario: Scenario, expected: string[]): Promise<void> => {
  const { wrong, events, ends } = await explore(scenario)

  expect({ wrong, events, ends }).toEqual({ wrong: undefined, events: [], ends: expected })
}

describe.each(Object.entries(collections))('%s, whatever crashes, gets lost, comes late or expires', (_, requests) => {
  const { create, createOther, createWithoutKey, change, remove, resource, reserved } = requests
  const rows: [title: string, scenario: Scenario, ends: string[]][] = [
    [
      'a key creates one resource',
      { attempts: [create(), create(), create()] },
      ['201 replay replay', 'replay 201 replay', 'replay replay 201'],
    ],
    [
      'a key creates a resource of one body',
      { attempts: [create(), createOther(), create()] },
      ['201 422 replay', '422 201 422', 'replay 422 201'],
    ],
    [
      'a key expires, and creates another resource',
      { attempts: [createOther(), create()], stored: reserved, clock: 1 },
      ['201 422', '201 replay', '422 201', '422 replay'],
    ],
    [
      'a key is valid for 24 hours',
      { attempts: [create(), create()], clock: 4 },
      ['201 201', '201 replay', 'replay 201'],
    ],
    [
      'an id that is in use is not used again',
      { attempts: [create(1, 2), create(2, 1)], stored: resource },
      ['201 replay', 'replay 201'],
    ],
    [
      'without a key, each request creates one resource',
      { attempts: [createWithoutKey(1, 2), createWithoutKey(2)], stored: resource },
      ['201 201'],
    ],
    [
      'changes of any revision do not undo each other',
      { attempts: [change(), change()], stored: resource },
      ['200 200'],
    ],
    [
      'of the changes of one revision, one takes effect',
      { attempts: [change('x'), change('x'), change('x')], stored: resource },
      ['200 412 412', '412 200 412', '412 412 200'],
    ],
    [
      'of a change and the deletes of one revision, one takes effect',
      { attempts: [change('x'), remove('x'), remove('x')], stored: resource },
      ['200 412 412', '404 204 404', '404 404 204'],
    ],
    [
      'changes of two revisions',
      { attempts: [change('x'), change('a1'), change('a1', 'x')], stored: resource },
      ['200 200 412', '200 412 200', '412 412 200'],
    ],
    [
      'changes of one revision, and one of any',
      { attempts: [change('x'), change('x'), change()], stored: resource },
      ['200 412 200', '412 200 200', '412 412 200'],
    ],
    [
      'changes of two revisions, and any delete',
      { attempts: [change('x'), change('a1'), remove()], stored: resource },
      ['200 200 204', '200 404 204', '200 412 204', '404 404 204', '404 412 204'],
    ],
    [
      'a create, a change of what it creates, and any delete',
      { attempts: [create(1), change('a1'), remove()] },
      ['201 200 204', '201 200 404', '201 404 204', '201 404 404'],
    ],
  ]
  const larger: typeof rows = [
    [
      'three changes of any revision do not undo each other',
      { attempts: [change(), change(), change()], stored: resource },
      ['200 200 200'],
    ],
    [
      'any change, and any deletes',
      { attempts: [change(), change(), remove()], stored: resource },
      ['200 200 204', '200 404 204', '404 200 204', '404 404 204'],
    ],
    [
      'three requests, and a key that expires',
      { attempts: [create(), create(), create()], stored: reserved, clock: 1 },
      ['201 replay replay', 'replay 201 replay', 'replay replay 201', 'replay replay replay'],
    ],
    [
      'a key expires twice',
      { attempts: [create(), create()], stored: reserved, clock: 5 },
      ['201 201', '201 replay', 'replay 201', 'replay replay'],
    ],
  ]

  test.each(runsAll ? [...rows, ...larger] : rows)('%s', (_, scenario, ends) => expectEnds(scenario, ends))
})

const { create, createWithoutKey, change, remove, resource, reserved } = collections.pets

const unavailablePet = () => new ApiError(409, 'conflict', 'The pet is not available.')
const pet1: [Key, Item] = [pets.keyOf(1), { ...rex, id: 1, revision: 'x' }]
const pet2: [Key, Item] = [pets.keyOf(2), { ...rex, id: 2, revision: 'x' }]
/** Makes the pet 1 pending, and creates another one with a key. */
const exchange = (key: string): Attempt => ({
  intent: intentOf(key),
  work: async (open) => {
    await open.read(...reservationKeys(intentOf(key)), pets.keyOf(1))
    const created = await pets.create({ ...rex, name: 'Tom' }, intentOf(key), open)
    if (created.isReplay) return created
    const { resource } = await pets.get(1, open)
    if (resource.status !== 'available') throw unavailablePet()
    await pets.change(1, { status: 'pending' }, undefined, open)
    return created
  },
  // The retry of a request that took effect must get a replay.
  isWrong: (_, items) => reservationKeys(intentOf(key)).some((each) => nameOf(each) in items),
})

/** Makes a pet pending unless the other one is. */
const makePending = (id: number): Attempt => ({
  work: async (open) => {
    const items = await open.read(...[1, 2].map(pets.keyOf))
    if (items.some((item) => item?.status !== 'available')) throw unavailablePet()
    return pets.change(id, { status: 'pending' }, undefined, open)
  },
  isWrong: (_, items) => Object.values(items).every(({ status }) => status === 'available'),
})

describe('a transaction of two items, whatever crashes, gets lost or comes late', () => {
  test.each<[string, Scenario, string[]]>([
    [
      'two items are written together',
      { attempts: [exchange('a'), exchange('a'), exchange('b')], stored: [pet1] },
      ['201 replay 409', '409 409 201', 'replay 201 409'],
    ],
    [
      'an item that was only read is as it was',
      { attempts: [makePending(1), makePending(2)], stored: [pet1, pet2] },
      ['200 409', '409 200'],
    ],
  ])('%s', (_, scenario, ends) => expectEnds(scenario, ends))
})

describe('the exploration finds an error', () => {
  const withoutConditionIf =
    (ignores: (action: Action, item: Item | undefined) => boolean): Scenario['holds'] =>
    (item, action) =>
      ignores(action, item) || hasRevision(item, action)
  /** How many revisions of an item there have been since it was created. */
  const numberOf = (revision: string | undefined, key: Key, commits: Commits): number => {
    const action = commits[revision ?? '']?.actions.find((action) => nameOf(action.key) === nameOf(key))
    return action ? 1 + numberOf(action.expected, key, commits) : 0
  }
  const readEach = ({ read, ...database }: Database): Database => ({
    ...database,
    read: async (keys) => {
      const items: Awaited<ReturnType<Database['read']>> = []
      for (const key of keys) items.push(...(await read([key])))
      return items
    },
  })

  test.each<[string, Scenario, string]>([
    [
      'the condition of an item that exists is ignored',
      {
        attempts: [change(), change()],
        stored: resource,
        holds: withoutConditionIf((action, item) => action.write !== undefined && item !== undefined),
      },
      'A write undid another one.',
    ],
    [
      'the condition of an item that was deleted is ignored',
      {
        attempts: [change(), remove()],
        stored: resource,
        holds: withoutConditionIf((action, item) => action.expected !== undefined && !item),
      },
      'A deleted resource came back.',
    ],
    [
      'the condition of a new resource is ignored',
      {
        attempts: [createWithoutKey(1)],
        stored: resource,
        holds: withoutConditionIf(({ expected }) => !expected),
      },
      'An id got two resources.',
    ],
    [
      'the condition of a new reservation is ignored',
      { attempts: [create(), create()], holds: withoutConditionIf(({ expected }) => !expected) },
      'A key created two resources.',
    ],
    [
      'the condition of an item that was only read is ignored',
      {
        attempts: [makePending(1), makePending(2)],
        stored: [pet1, pet2],
        holds: withoutConditionIf((action) => !action.write),
      },
      'A request took effect although what it had read was changed.',
    ],
    [
      'revisions are numbers, and an expired reservation is removed',
      {
        attempts: [create(), create()],
        stored: reserved,
        clock: 1,
        holds: (item, { key, expected }, commits) =>
          numberOf(item?.revision, key, commits) === numberOf(expected, key, commits),
      },
      'A key created two resources.',
    ],
    [
      'a request has a new token after a conflict',
      {
        attempts: [createWithoutKey()],
        wrap: (database) => ({
          ...database,
          write: async (...call) => {
            const outcome = await database.write(...call)
            return outcome === 'busy' ? 'refused' : outcome
          },
        }),
      },
      'A request took effect twice.',
    ],
    [
      'a reservation is written apart from its resource',
      {
        attempts: [create()],
        wrap: (database) => ({
          ...database,
          write: async (token, actions) => {
            const [first, ...others] = actions
            if (first && others.length > 0) await database.write(`${token}-first`, [first])
            return database.write(token, others.length > 0 ? others : actions)
          },
        }),
      },
      'A resource was created without its reservation.',
    ],
    [
      'a replay is of the current pet',
      {
        attempts: [create(), change()],
        stored: reserved,
        wrap: (database) => ({
          ...database,
          read: async (keys) => {
            const [item] = await database.read(keys)
            const [pet] = item?.intent ? await database.read([pets.keyOf(1)]) : []
            return [pet ? { ...item, revision: pet.revision } : item]
          },
        }),
      },
      'A response is of a resource that never was.',
    ],
    [
      'items are read one after the other',
      { attempts: [exchange('a'), exchange('a')], stored: [pet1], wrap: readEach },
      'A request got a 409 for no reason.',
    ],
  ])('when %s', async (_, scenario, expected) => {
    const { wrong } = await explore(scenario)

    expect(wrong).toBe(expected)
  })
})
