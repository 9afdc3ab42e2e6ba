import { expect, test } from 'vitest'
import { conflict, serviceUnavailable } from '../../shared/model/api-error.ts'
import { pets } from '../../shared/pets/pets.ts'
import { storedPets } from '../../shared/pets/stored-pets.ts'
import { newPet } from '../support/pets.ts'
import { expectInAllOrders, type Scenario, type Work } from './all-orders.ts'
import { aPet, once, take } from './works.ts'

/** Adds a pet unless a list has its name: a mistake, because a list may not be up to date. */
const addRex: Work = async (tx) => {
  const { items } = await pets.list(tx, { limit: 100 })
  if (items.some(({ name }) => name === 'Rex')) throw conflict('There is a Rex.')
  return pets.create(tx, { name: 'Rex', categoryId: 7 })
}

const addPetOfClient: Work = (tx, { client }) => pets.create(tx, newPet(client.id))

test('a rule that rests on a list is broken, and the story says how', async () => {
  const exploration = expectInAllOrders({
    requests: { ann: addRex, bob: addRex },
    invariants: { 'a name has one pet': ({ pets }) => pets.length <= 1 },
  })

  await expect(exploration).rejects.toThrow(
    new Error(`This must hold, and does not: a name has one pet.

1. ann lists pets: none
2. ann's write creates pet 101 (name Rex, categoryId 7)
3. ann is done
4. bob lists pets: none (not up to date)
5. bob's write creates pet 201 (name Rex, categoryId 7)
6. bob is done

Then stored:
pet 101: name Rex, categoryId 7
pet 201: name Rex, categoryId 7`),
  )
})

test('fails if the requests end in other ways, and tells the shortest way to each', async () => {
  const exploration = expectInAllOrders({
    stored: aPet,
    requests: { ann: take, bob: once(take) },
    ends: ['ann done, bob 409', 'ann done, bob done'],
  })

  await expect(exploration).rejects.toThrow(
    new Error(`The requests do not end as expected, but in these ways:
  ann 409, bob done
  ann done, bob 409

Never: ann done, bob done

How ann 409, bob done:

1. bob reads the record of key a: none
2. bob reads pet 1: categoryId 7, status available
3. bob's write creates the record of key a (status 200) and changes pet 1 (categoryId 201, status none) and creates pet 201 (name Ann, categoryId 7)
4. bob is done
5. ann reads pet 1: categoryId 201, status none
6. ann gets 409: It is taken.

Then stored:
the record of key a: status 200
pet 1: categoryId 201, status none
pet 201: name Ann, categoryId 7`),
  )
})

test('an outage is no refusal: a retry runs again', async () => {
  const outage: Work = async () => {
    throw serviceUnavailable('DynamoDB is down.')
  }
  const once = { key: 'a', work: outage }

  await expectInAllOrders({
    requests: { ann: once, retry: once },
    ends: ['ann 503, retry 503'],
  })
})

/** Puts a name, as an item that is no resource. */
const takeName: Work = async (tx) => {
  const key = { table: 'idempotencyKeys', value: 'Ann Lee' } as const
  if (await tx.read(key)) throw conflict('The name is taken.')
  tx.put(key, {})
}

/** Refuses because of one pet while it reads another. */
const refuseBoth: Work = (tx) => Promise.all([pets.get(tx, 1), pets.get(tx, 2)])

test.each<[string, Scenario]>([
  [
    'items of any table',
    {
      stored: { idempotencyKeys: [{ intent: 'Bob Lee' }] },
      requests: { ann: takeName, bob: takeName },
      invariants: {
        'all names stay': ({ idempotencyKeys: { length } }) => [1, 2].includes(length),
      },
      ends: ['ann done, bob 409', 'ann 409, bob done'],
    },
  ],
  [
    'clients with the same key',
    {
      requests: {
        ann: { key: 'a', client: { id: 'ann' }, work: addPetOfClient },
        bob: { key: 'a', client: { id: 'bob' }, work: addPetOfClient },
      },
      invariants: {
        'each has a pet': ({ pets }) => new Set(pets.map(({ name }) => name)).size === pets.length,
      },
      ends: ['ann done, bob done'],
    },
  ],
  ['a refusal while another read is open', { requests: { ann: refuseBoth }, ends: ['ann 404'] }],
])('takes %s', async (_, scenario) => {
  await expectInAllOrders(scenario)
})

/** As `take`, but without an `await`. */
const takeAtOnce: Work = async (tx) => {
  await pets.get(tx, 1)
  void storedPets.change(tx, 1, { status: null }, undefined)
  return pets.create(tx, newPet())
}

let runs = 0
const readOnce: Work = (tx) => (runs++ === 0 ? pets.get(tx, 1) : pets.list(tx, { limit: 1 }))

const LATE = 'Error: The function called tx.put after its end. Await each call that gets tx.'

test.each<[string, Work, string]>([
  ['has a bug', () => Promise.reject(new Error('A bug.')), 'Error: A bug.'],
  ['does not await a change', takeAtOnce, LATE],
  ['remembers its last run', readOnce, 'Error: The function must not remember an earlier run.'],
  [
    'waits for ever',
    () => new Promise(() => {}),
    'Error: The function waits for something else than its tx.',
  ],
])('a function that %s fails with a story', async (_, work, error) => {
  const exploration = expectInAllOrders({
    stored: aPet,
    requests: { ann: work },
  })

  await expect(exploration).rejects.toThrow(
    /^This must hold, and does not: each request ends with a response or an ApiError\.\n\n1\. ann /,
  )
  await expect(exploration).rejects.toThrow(`. ann fails: ${error}\n\nThen stored:`)
})
