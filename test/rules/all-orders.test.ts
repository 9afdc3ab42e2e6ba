import { expect, test } from 'vitest'
import { conflict, serviceUnavailable } from '../../shared/model/api-error.ts'
import { orders } from '../../shared/orders/orders.ts'
import { pets } from '../../shared/pets/pets.ts'
import { petOf } from '../support/pets.ts'
import { expectInAllOrders, type Work } from './all-orders.ts'

const order: Work = (tx) => orders.place(tx, { petId: 1 })

/** Adds a pet unless a list has its name: a mistake, because a list may not be up to date. */
const addRex: Work = async (tx) => {
  const { items } = await pets.list(tx, { limit: 100 })
  if (items.some(({ name }) => name === 'Rex')) throw conflict('There is a Rex.')
  return pets.create(tx, { name: 'Rex', categoryId: 7 })
}

const sell: Work = (tx) => pets.change(tx, 1, { status: 'sold' }, undefined)

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

test('the story tells what a request with a key reads and writes', async () => {
  const exploration = expectInAllOrders({
    stored: { pets: [petOf(1)] },
    requests: { ann: { key: 'a', work: sell } },
    invariants: { 'no pet is sold': ({ pets }) => pets.every(({ status }) => status !== 'sold') },
  })

  await expect(exploration).rejects.toThrow(
    new Error(`This must hold, and does not: no pet is sold.

1. ann reads the record of key a: none
2. ann reads pet 1: status available
3. ann's write creates the record of key a (status 200) and changes pet 1 (status sold)
4. ann is done

Then stored:
the record of key a: status 200
pet 1: status sold`),
  )
})

test('fails if the requests end in other ways', async () => {
  const exploration = expectInAllOrders({
    stored: { pets: [petOf(1)] },
    requests: { ann: order, bob: order },
    ends: ['ann done, bob 409'],
  })

  await expect(exploration).rejects.toMatchObject({
    actual: ['ann 409, bob done', 'ann done, bob 409'],
  })
})

test('fails if a rule is broken before the first event', async () => {
  const exploration = expectInAllOrders({
    requests: {},
    invariants: { 'a pet exists': () => false },
  })

  await expect(exploration).rejects.toThrow(
    new Error('This must hold, and does not: a pet exists.\n\nThen stored:\nnothing'),
  )
})

test('a bug is no refusal: it fails with its error', async () => {
  const bug: Work = async () => {
    throw new Error('A bug.')
  }

  const exploration = expectInAllOrders({ requests: { ann: { key: 'a', work: bug } } })

  await expect(exploration).rejects.toThrow(new Error('A bug.'))
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
