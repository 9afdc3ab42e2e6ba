import { expect, test } from 'vitest'
import { recordKey, saveRecord, storedResponse } from '../../shared/data/idempotency.ts'
import type { Transaction } from '../../shared/data/transaction.ts'
import type { TransactionStore } from '../../shared/data/transaction-store.ts'
import { conflict } from '../../shared/model/api-error.ts'
import { pets } from '../../shared/pets/pets.ts'
import { storedPets } from '../../shared/pets/stored-pets.ts'
import { petOf } from '../support/pets.ts'
import { expectInAllOrders, type Scenario, type Work } from './all-orders.ts'
import { type Service, service, workResponse } from './pipeline-model.ts'
import { explore } from './search.ts'
import { aPet, change, create, once, remove, sellBoth, twoPets } from './works.ts'

// The proof of the proof. For each promise of the service and each kind of fault, there is a mistake
// that only it finds: a wrong function, or a wrong part of the service.

/** Creates the pet 1, whether or not it was there before. */
const restore: Work = async (tx) => void storedPets.putWithId(tx, petOf(1))

/** A service whose transactions run on a wrong store. */
const on = (wrong: (store: TransactionStore) => Partial<TransactionStore>): Service => ({
  ...service,
  runOn: (store, ...others) => service.runOn({ ...store, ...wrong(store) }, ...others),
})

/** A service with a wrong way from a request to a response. */
const by = (respond: Service['respond']): Service => ({ ...service, respond })

/** Sends each write twice, with two tokens, as if the first one could not take effect any more. */
const twoTokens = on(({ write }) => ({
  write: async (revision, actions) => {
    const again = `${revision}-again`
    const others = actions.map((action) =>
      action.kind === 'put' ? { ...action, item: { ...action.item, revision: again } } : action,
    )
    return Promise.race([write(revision, actions), write(again, others)])
  },
}))

/** Writes what it has written again. */
const twice = on(({ write }) => ({
  write: async (revision, actions) => {
    await write(revision, actions)
    const again = actions.map((action) => ({ ...action, expected: revision }))
    return write(`${revision}-again`, again)
  },
}))

/** Takes the items that it has read one by one for a snapshot. */
const noSnapshots = on(() => ({ check: async () => true }))

const neverWritten = on(() => ({ write: async () => false }))

/** Responds as if a refused write took effect. */
const lostWrite = on(({ write }) => ({
  write: async (revision, actions) => {
    await write(revision, actions)
    return true
  },
}))

const withoutRecord = by((tx, request) =>
  service.respond(tx, { ...request, idempotent: undefined }),
)

/** Saves the response, whether or not there is one. */
const overwriting = by(async (tx, request) => {
  const { idempotent } = request
  if (idempotent) await storedResponse(tx, idempotent)
  const response = await workResponse(tx, request)
  if (idempotent) saveRecord(tx, idempotent, response)
  return response
})

/** Saves one response, and returns another. */
const otherResponse = by(async (tx, request) => {
  const response = await service.respond(tx, request)
  return { ...response, body: '"other"' }
})

/** Uses a record although it has expired. */
const noExpiry = by(async (tx, request) => {
  const record = request.idempotent && (await tx.read(recordKey(request.idempotent)))
  if (!record) return service.respond(tx, request)
  return { status: Number(record.status), body: String(record.body), isReplay: true }
})

const unmarkedReplay = by(async (tx, request) => ({
  ...(await service.respond(tx, request)),
  isReplay: false,
}))

/** Keeps what a refused function has put. */
const noRollBack = by((tx, request) => {
  const keeping: Transaction = {
    revision: tx.revision,
    read: (key) => tx.read(key),
    list: (query) => tx.list(query),
    put: (key, attributes) => tx.put(key, attributes),
    remove: (key) => tx.remove(key),
    rollBack: () => {},
  }
  return service.respond(keeping, request)
})

/** Deletes the pet 1 if a second token has put it. */
const removeSecond: Work = async (tx) => {
  const pet = await storedPets.find(tx, 1)
  if (pet?.revision.endsWith('-again')) await pets.remove(tx, 1, undefined)
}

const changeAndRefuse: Work = async (tx) => {
  await pets.change(tx, 1, { name: 'Max' }, undefined)
  throw conflict('Never.')
}

const returnAnother: Work = async (tx) => ({ ...(await storedPets.get(tx, 1)), name: 'Max' })

/** Refuses if it reads that the second pet is sold and then that the first is not. */
const readBackwards: Work = async (tx) => {
  const [second, first] = [await storedPets.get(tx, 2), await storedPets.get(tx, 1)]
  if (second.status === 'sold' && first.status !== 'sold') throw conflict('One is sold.')
}

/** Takes a second run for a proof that the first one took effect. */
const changeInFirstRun: Work = (tx) => {
  if (!tx.revision.endsWith('-1')) throw conflict('It was changed.')
  return pets.change(tx, 1, { name: 'Max' }, undefined)
}

const changes = { stored: aPet, requests: { ann: change } }
const creates = { requests: { ann: once(create), retry: once(create) } }

// Each with an event of its story, where a kind of fault is what finds the mistake.
test.each<[string, Scenario, Service, string?]>([
  [
    'a request takes no effect after its response',
    { requests: { ann: restore, bob: removeSecond } },
    twoTokens,
    "ann's late write creates pet 1",
  ],
  ['a request takes effect once', changes, twice],
  ['a request with a key takes effect with its idempotency record', creates, withoutRecord],
  ['a key takes effect once', creates, overwriting],
  ['the response to a request with a key is the one that is stored', creates, otherResponse],
  [
    'an idempotency record that has expired is not used',
    { ...creates, pauses: 3 },
    noExpiry,
    'eight hours pass',
  ],
  ['a response is a replay if another request stored it', creates, unmarkedReplay],
  [
    'a response has a resource as it was stored',
    { stored: aPet, requests: { ann: returnAnother } },
    service,
  ],
  [
    'a request that is refused has no effect',
    { stored: aPet, requests: { ann: changeAndRefuse } },
    noRollBack,
  ],
  [
    'a response was right at a moment of its request',
    { stored: twoPets, requests: { ann: sellBoth, bob: readBackwards } },
    noSnapshots,
    'bob reads pet 1: status available (not up to date)',
  ],
  [
    'a response was right at a moment of its request',
    { stored: aPet, requests: { ann: changeInFirstRun } },
    service,
    "ann's write is canceled, because of a conflict",
  ],
  [
    'a response was right at a moment of its request',
    { stored: aPet, requests: { ann: remove, bob: change } },
    lostWrite,
  ],
  ['each request ends', changes, neverWritten],
  [
    'each pet has a record',
    {
      requests: { ann: once(create) },
      invariants: {
        'each pet has a record': ({ pets, idempotencyKeys: records }) =>
          pets.length <= records.length,
      },
      pauses: 3,
    },
    service,
    'the record of key a expires',
  ],
])('finds a mistake against: %s', async (rule, scenario, by, event = '') => {
  const exploration = expectInAllOrders(scenario, by)

  await expect(exploration).rejects.toThrow(`This must hold, and does not: ${rule}.\n`)
  await expect(exploration).rejects.toThrow(event)
})

test('a request may crash, before or after its write took effect', async () => {
  const { ends } = await explore(
    { stored: aPet, requests: { ann: once(remove), retry: once(remove) } },
    service,
  )

  expect(ends.map(({ end }) => end).sort()).toEqual([
    'ann crashed, retry crashed',
    'ann crashed, retry done',
    'ann crashed, retry replay',
    'ann done, retry crashed',
    'ann done, retry replay',
    'ann replay, retry crashed',
    'ann replay, retry done',
  ])
})
