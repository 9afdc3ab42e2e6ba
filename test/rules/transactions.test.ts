import { test } from 'vitest'
import type { Transaction } from '../../shared/data/transaction.ts'
import { conflict, notFound } from '../../shared/model/api-error.ts'
import { etagOf } from '../../shared/model/etag.ts'
import { pets } from '../../shared/pets/pets.ts'
import { storedPets } from '../../shared/pets/stored-pets.ts'
import { petOf } from '../support/pets.ts'
import { expectInAllOrders, type Scenario, type Work } from './all-orders.ts'
import { STORED } from './database-model.ts'
import { aPet, change, create, once, remove, sellBoth, take, twoPets } from './works.ts'

const ifStored = [etagOf(1, STORED)]
const changeStored: Work = (tx) => pets.change(tx, 1, { name: 'Max' }, ifStored)
const removeStored: Work = (tx) => pets.remove(tx, 1, ifStored)

/** Creates a pet with this id. */
const createAs = async (tx: Transaction, id: number) => {
  storedPets.putWithId(tx, petOf(id))
  return { ...petOf(id), revision: tx.revision }
}

/** Creates a pet, at first with an id that is in use. */
const createAnywhere: Work = (tx) => createAs(tx, tx.revision.endsWith('-1') ? 1 : 2)

/** Makes the pet 1 available if it is not. */
const offer: Work = async (tx) => {
  const pet = await pets.get(tx, 1)
  if (pet.status === 'available') return pet
  return pets.change(tx, 1, { status: 'available' }, undefined)
}

/** Sells a pet if neither of two is sold. */
const sellOne =
  (id: number): Work =>
  async (tx) => {
    const both = [await storedPets.get(tx, 1), await storedPets.get(tx, 2)]
    const sold = await pets.change(tx, id, { status: 'sold' }, undefined)
    // A refusal rolls back the change.
    if (both.some(({ status }) => status === 'sold')) throw conflict('One is sold.')
    return sold
  }

/** Adds a pet if neither of two exists. */
const addOne =
  (id: number): Work =>
  async (tx) => {
    const both = [await storedPets.find(tx, 1), await storedPets.find(tx, 2)]
    if (both.some((item) => item)) throw conflict('One exists.')
    return createAs(tx, id)
  }

/** Refuses with a 409 if two pets have a different status, else with a 404. */
const compare: Work = async (tx) => {
  const [first, second] = [await storedPets.get(tx, 1), await storedPets.get(tx, 2)]
  throw first.status === second.status ? notFound('They are equal.') : conflict('They differ.')
}

test.each<[string, Scenario]>([
  [
    'a key is refused for another request',
    {
      stored: aPet,
      requests: { ann: once(create), bob: once(change), retry: once(create) },
      ends: [
        'ann done, bob 422, retry replay',
        'ann 422, bob done, retry 422',
        'ann replay, bob 422, retry done',
      ],
    },
  ],
  [
    'a key takes effect again after its record expires',
    {
      requests: { ann: once(create), retry: once(create) },
      pauses: 3,
      ends: ['ann done, retry done', 'ann done, retry replay', 'ann replay, retry done'],
    },
  ],
  [
    'an id that is in use is not used again',
    {
      stored: aPet,
      requests: { ann: once(createAnywhere), retry: once(createAnywhere) },
      ends: ['ann done, retry replay', 'ann replay, retry done'],
    },
  ],
  [
    'a revision is changed or deleted once',
    {
      stored: aPet,
      requests: { ann: changeStored, bob: removeStored, cat: removeStored },
      ends: [
        'ann done, bob 412, cat 412',
        'ann 404, bob done, cat 404',
        'ann 404, bob 404, cat done',
      ],
    },
  ],
  [
    'a change of any revision takes effect, unless the pet is deleted',
    {
      stored: aPet,
      requests: { ann: change, bob: remove },
      ends: ['ann done, bob done', 'ann 404, bob done'],
    },
  ],
  [
    'a request that may write or not gets one response',
    {
      stored: aPet,
      requests: { ann: once(offer), retry: once(offer), bob: take },
      ends: ['ann done, retry replay, bob done', 'ann replay, retry done, bob done'],
    },
  ],
  [
    'a request and its retry both succeed, or are both refused',
    {
      stored: { pets: [petOf(1, { status: 'pending' })] },
      requests: { ann: once(take), retry: once(take), bob: offer },
      ends: [
        'ann done, retry replay, bob done',
        'ann 409, retry replay, bob done',
        'ann replay, retry done, bob done',
        'ann replay, retry 409, bob done',
      ],
    },
  ],
  [
    'an item that was only read is unchanged',
    {
      stored: twoPets,
      requests: { ann: sellOne(1), bob: sellOne(2) },
      ends: ['ann done, bob 409', 'ann 409, bob done'],
    },
  ],
  [
    'what was found to be missing still is',
    {
      requests: { ann: addOne(1), bob: addOne(2) },
      ends: ['ann done, bob 409', 'ann 409, bob done'],
    },
  ],
  [
    'nothing is refused for what was true at no moment',
    {
      stored: twoPets,
      requests: { ann: sellBoth, bob: compare },
      ends: ['ann done, bob 404'],
    },
  ],
])('in all orders of events, %s', async (_, scenario) => {
  await expectInAllOrders(scenario)
})
