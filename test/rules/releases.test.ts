import { expect, test } from 'vitest'
import { orders } from '../../shared/orders/orders.ts'
import { pets } from '../../shared/pets/pets.ts'
import { storedPets } from '../../shared/pets/stored-pets.ts'
import { petOf } from '../support/pets.ts'
import { expectInAllOrders, type Scenario, type Work } from './all-orders.ts'

// During a release, two versions run on one database. Here, orders are new, with a rule that an
// older operation must keep: nobody deletes a pet that has an open order.

/** `deletePet` of the version that knows no orders. */
const removeBefore: Work = (tx) => storedPets.remove(tx, 1, undefined)
const remove: Work = (tx) => pets.remove(tx, 1, undefined)
const place: Work = (tx) => orders.place(tx, { petId: 1 })

/** Old and new operations at the same time, on a database that the old version has left. */
const release = (requests: Record<string, Work>): Scenario => ({
  stored: { pets: [petOf(1)] },
  requests,
  invariants: {
    'each order has its pet': (stored) =>
      stored.orders.every(({ petId }) => stored.pets.some(({ id }) => id === petId)),
  },
})

test('in one release, the old version breaks the new rule', async () => {
  const all = expectInAllOrders(release({ old: removeBefore, new: remove, order: place }))

  await expect(all).rejects.toThrow('This must hold, and does not: each order has its pet.')
})

test('in two releases, the refusal and then the operation, both versions keep it', async () => {
  await expectInAllOrders(release({ old: removeBefore, new: remove }))
  await expectInAllOrders(release({ old: remove, new: remove, order: place }))
})
