import { expect, test } from 'vitest'
import { storedPets } from '../../shared/hold.ts'
import { conflict } from '../../shared/model/api-error.ts'
import { orders } from '../../shared/orders/orders.ts'
import { pets } from '../../shared/pets/pets.ts'
import { petOf } from '../support/pets.ts'
import { expectInAllOrders, type Work } from './all-orders.ts'
import { hasRevision } from './database-model.ts'
import { explore } from './search.ts'
import { storyOf } from './story.ts'

const order: Work = (tx) => orders.place(tx, { petId: 1 })

/** Adds a pet unless a list has its name: a mistake, because a list may not be up to date. */
const addRex: Work = async (tx) => {
  const { items } = await pets.list(tx, { limit: 100 })
  if (items.some(({ name }) => name === 'Rex')) throw conflict('There is a Rex.')
  return pets.create(tx, { name: 'Rex', categoryId: 7 })
}

const sell: Work = (tx) => pets.change(tx, 1, { status: 'sold' })

/** Gives the pet 2 a name while the pet 1 is available. */
const nameTom: Work = async (tx) => {
  const { status } = await storedPets.read(tx, 1)
  if (status !== 'available') throw conflict('Pet 1 is not available.')
  return pets.change(tx, 2, { name: 'Tom' })
}

test('a rule that rests on a list is broken, and the story says how', async () => {
  const exploration = expectInAllOrders({
    requests: { ann: addRex, bob: addRex },
    mustHold: { 'a name has one pet': ({ pets }) => pets.length <= 1 },
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

test('without conditions on what was only read, a write rests on what has changed', async () => {
  const { broken } = await explore(
    {
      stored: { pets: [petOf(1), petOf(2)] },
      requests: { ann: { key: 'a', work: sell }, bob: nameTom },
    },
    { isTrue: (item, action) => action.kind === 'check' || hasRevision(item, action) },
  )

  expect(broken && storyOf(broken)).toBe(
    `This must hold, and does not: a request takes effect only if what it has read is unchanged.

1. ann reads the reservation of key a: none
2. ann reads pet 1: status available
3. bob reads pet 1: status available
4. ann's write creates the reservation of key a (status 200) and changes pet 1 (status sold)
5. ann is done
6. bob reads pet 2: name Rex
7. bob's write checks pet 1 and changes pet 2 (name Tom)
8. bob is done

Then stored:
the reservation of key a: status 200
pet 1: status sold
pet 2: name Tom`,
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
  const exploration = expectInAllOrders({ requests: {}, mustHold: { 'a pet exists': () => false } })

  await expect(exploration).rejects.toThrow(
    new Error('This must hold, and does not: a pet exists.\n\nThen stored:\nnothing'),
  )
})
