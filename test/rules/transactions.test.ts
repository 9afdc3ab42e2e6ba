import { expect, test } from 'vitest'
import type { Item, TransactAction } from '../../shared/data/database.ts'
import type { Transaction } from '../../shared/data/transaction.ts'
import { storedPets } from '../../shared/hold.ts'
import { conflict, notFound } from '../../shared/model/api-error.ts'
import { etagOf } from '../../shared/model/etag.ts'
import type { PetChanges } from '../../shared/pets/pet.ts'
import { pets } from '../../shared/pets/pets.ts'
import { newPet, petOf } from '../support/pets.ts'
import { BUSY_MS, expectInAllOrders, type Scenario, type Work } from './all-orders.ts'
import { hasRevision, STORED } from './database-model.ts'
import { type Pipeline, respond } from './pipeline-model.ts'
import { explore } from './search.ts'

const once = (work: Work) => ({ key: 'a', work })
const aPet = { pets: [petOf(1)] }

const create: Work = (tx) => pets.create(tx, newPet())
const createOther: Work = (tx) => pets.create(tx, newPet('Tom'))

/** Creates a pet with this id. */
const createAs = (tx: Transaction, id: number) => {
  storedPets.restore(tx, petOf(id))
  return Promise.resolve({ resource: petOf(id), revision: tx.revision })
}
const createFirst: Work = (tx) => createAs(tx, 1)

/** Two processes generate ids that are in use, and then the same ones. */
const createAnywhere: Work = (tx) => {
  const ids: Record<string, number> = { 'ann-1': 1, 'ann-2': 2, 'retry-1': 2, 'bob-1': 2 }
  return createAs(tx, ids[tx.revision] ?? 3)
}

const changeTo =
  (changes: PetChanges, ...revisions: string[]): Work =>
  (tx) =>
    pets.change(tx, 1, changes, etagsOf(revisions))
const change = changeTo({ name: 'Max' })
const changeOf = (...revisions: string[]) => changeTo({ name: 'Max' }, ...revisions)
const changeOfStored = changeOf(STORED)
const remove: Work = (tx) => pets.remove(tx, 1)
const removeStored: Work = (tx) => pets.remove(tx, 1, etagsOf([STORED]))

const etagsOf = (revisions: string[]) =>
  revisions.length > 0 ? revisions.map((each) => etagOf(1, each)) : undefined

/** Changes the status of the pet 1 if it is another one. */
const offer: Work = async (tx) => {
  const { status } = await storedPets.read(tx, 1)
  return status === 'available' ? pets.get(tx, 1) : pets.change(tx, 1, { status: 'available' })
}

/** Changes the pet 1 after two reads at a time, which must find the same. */
const readTwice: Work = async (tx) => {
  const [first, second] = await Promise.all([storedPets.read(tx, 1), storedPets.read(tx, 1)])
  if (first.revision !== second.revision) throw conflict('They differ.')
  return pets.change(tx, 1, { name: 'Leo' })
}

/** Changes the pet 1, and then refuses to. */
const refuse: Work = async (tx) => {
  await pets.change(tx, 1, { name: 'Leo' })
  throw conflict('Leo is no name.')
}

/** Sells a pet if neither of two is sold. */
const sellOne =
  (id: number): Work =>
  async (tx) => {
    const both = [await storedPets.read(tx, 1), await storedPets.read(tx, 2)]
    if (both.some(({ status }) => status === 'sold')) throw conflict('One is sold.')
    return pets.change(tx, id, { status: 'sold' })
  }

/** Adds a pet if neither of two exists. */
const addOne =
  (id: number): Work =>
  async (tx) => {
    const both = [await storedPets.find(tx, 1), await storedPets.find(tx, 2)]
    if (both.some((item) => item)) throw conflict('One exists.')
    return createAs(tx, id)
  }

/** Gives two pets the same other status. */
const changeBoth: Work = async (tx) => {
  const before = await storedPets.read(tx, 1)
  const status = before.status === 'sold' ? 'available' : 'sold'
  await pets.change(tx, 2, { status })
  return pets.change(tx, 1, { status })
}

/** Refuses with a 409 if two pets have a different status, else with a 404. */
const compare: Work = async (tx) => {
  const [first, second] = [await storedPets.read(tx, 1), await storedPets.read(tx, 2)]
  throw first.status === second.status ? notFound('They are equal.') : conflict('They differ.')
}

const twoPets = { pets: [petOf(1), petOf(2)] }
const sellOneOfTwo: Scenario = {
  stored: twoPets,
  requests: { ann: sellOne(1), bob: sellOne(2) },
  ends: ['ann done, bob 409', 'ann 409, bob done'],
}
const sameStatus: Scenario = {
  stored: twoPets,
  requests: { ann: changeBoth, bob: changeBoth, cat: compare },
  ends: ['ann done, bob done, cat 404'],
}
const changeOfNothing: Scenario = {
  requests: { ann: once(change), retry: once(change), bob: createFirst },
  ends: [
    'ann done, retry replay, bob done',
    'ann 404, retry replay, bob done',
    'ann replay, retry done, bob done',
    'ann replay, retry 404, bob done',
  ],
}

test.each<[string, Scenario]>([
  [
    'a key is refused for another request',
    {
      requests: { ann: once(create), bob: once(createOther), retry: once(create) },
      ends: [
        'ann done, bob 422, retry replay',
        'ann 422, bob done, retry 422',
        'ann replay, bob 422, retry done',
      ],
    },
  ],
  [
    'a key takes effect again after its reservation expires',
    {
      requests: { ann: once(create), retry: once(create) },
      pauses: 4,
      ends: ['ann done, retry done', 'ann done, retry replay', 'ann replay, retry done'],
    },
  ],
  [
    'an expired reservation is free for another request',
    {
      requests: { ann: once(create), bob: once(createOther) },
      pauses: 4,
      ends: ['ann done, bob done', 'ann done, bob 422', 'ann 422, bob done'],
    },
  ],
  [
    'an id that is in use is not used again',
    {
      stored: aPet,
      requests: { ann: once(createAnywhere), retry: once(createAnywhere), bob: createAnywhere },
      ends: ['ann done, retry replay, bob done', 'ann replay, retry done, bob done'],
    },
  ],
  [
    'a revision is changed or deleted once',
    {
      stored: aPet,
      requests: { ann: changeOfStored, bob: removeStored, cat: removeStored },
      ends: [
        'ann done, bob 412, cat 412',
        'ann 404, bob done, cat 404',
        'ann 404, bob 404, cat done',
      ],
    },
  ],
  [
    'changes of any revision all take effect, until the pet is deleted',
    {
      stored: aPet,
      requests: { ann: change, bob: change, cat: remove },
      ends: [
        'ann done, bob done, cat done',
        'ann done, bob 404, cat done',
        'ann 404, bob done, cat done',
        'ann 404, bob 404, cat done',
      ],
    },
  ],
  [
    'a change of the revision of another one follows it',
    {
      stored: aPet,
      requests: { ann: changeOfStored, bob: changeOf('ann-1'), cat: changeOf('ann-1', STORED) },
      ends: [
        'ann done, bob done, cat 412',
        'ann done, bob 412, cat done',
        'ann 412, bob 412, cat done',
      ],
    },
  ],
  [
    'the refusal of a revision is final',
    {
      stored: aPet,
      requests: { ann: once(changeOfStored), retry: once(changeOfStored), bob: change },
      ends: [
        'ann done, retry replay, bob done',
        'ann 412, retry replay, bob done',
        'ann replay, retry done, bob done',
        'ann replay, retry 412, bob done',
      ],
    },
  ],
  ['a 404 is final', changeOfNothing],
  [
    'a refusal discards what was put',
    {
      stored: aPet,
      requests: { ann: once(refuse), retry: once(refuse) },
      ends: ['ann 409, retry replay', 'ann replay, retry 409'],
    },
  ],
  [
    'a request that may write or not gets one response',
    {
      stored: aPet,
      requests: { ann: once(offer), retry: once(offer), bob: changeTo({ status: 'sold' }) },
      ends: ['ann done, retry replay, bob done', 'ann replay, retry done, bob done'],
    },
  ],
  [
    'two reads at a time find the same',
    { stored: aPet, requests: { ann: readTwice, bob: change }, ends: ['ann done, bob done'] },
  ],
  ['an item that was only read is unchanged', sellOneOfTwo],
  [
    'what was found to be missing still is',
    {
      requests: { ann: addOne(1), bob: addOne(2) },
      ends: ['ann done, bob 409', 'ann 409, bob done'],
    },
  ],
  ['nothing is refused for what was true at no moment', sameStatus],
])('in all orders of events, %s', { timeout: BUSY_MS }, async (_, scenario) => {
  await expectInAllOrders(scenario)
})

const twoChanges = { stored: aPet, requests: { ann: change, bob: change } }

test.each<[string, Scenario, isIgnored: (action: TransactAction, item?: Item) => unknown]>([
  ['a write does not undo another one', twoChanges, ({ kind }, item) => kind !== 'check' && item],
  [
    'a deleted resource stays deleted',
    { stored: aPet, requests: { ann: change, bob: remove } },
    ({ expected }, item) => expected && !item,
  ],
  [
    'an id gets one resource',
    { stored: aPet, requests: { ann: createFirst } },
    ({ expected }) => !expected,
  ],
  [
    'a key takes effect once',
    { requests: { ann: once(create), retry: once(create) } },
    ({ expected }) => !expected,
  ],
  [
    'a request takes effect only if what it has read is unchanged',
    sellOneOfTwo,
    ({ kind }) => kind === 'check',
  ],
])('without a condition, it is not true that %s', async (rule, scenario, isIgnored) => {
  const isTrue = (item: Item | undefined, action: TransactAction) =>
    Boolean(isIgnored(action, item)) || hasRevision(item, action)

  expect(await explore(scenario, { isTrue })).toMatchObject({ broken: { rule } })
})

test.each<[string, rule: string, Scenario, Pipeline]>([
  [
    'does not store refusals',
    'the response to a request with a key is the one that is stored',
    changeOfNothing,
    (tx, attempt) => {
      const discard = () => Object.assign(tx, { put: () => {} })
      return respond(Object.assign(tx, { discard }), attempt)
    },
  ],
  [
    'ignores stored refusals',
    'a response is a replay if another request stored it',
    changeOfNothing,
    async (tx, attempt) => {
      const response = await respond(tx, attempt)
      const isIgnored = response.isReplay && response.status === 404
      return isIgnored ? respond(tx, { ...attempt, keyed: undefined }) : response
    },
  ],
  [
    'keeps what a refused request has put',
    'a request that is refused has no effect',
    { stored: aPet, requests: { ann: once(refuse) } },
    (tx, attempt) => respond(Object.assign(tx, { discard: () => {} }), attempt),
  ],
  [
    'lets out what was true at no moment',
    'a response was right at a moment of its request',
    sameStatus,
    (tx, attempt) => respond(Object.assign(tx, { isOneMoment: async () => true }), attempt),
  ],
])('with a pipeline that %s, it is not true that %s', async (_, rule, scenario, pipeline) => {
  expect(await explore(scenario, { pipeline })).toMatchObject({ broken: { rule } })
})
