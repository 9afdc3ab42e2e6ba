import fc from 'fast-check'
import { expect, test } from 'vitest'
import * as pets from '../../shared/data/pets.ts'
import { intentDigest } from '../../shared/model/idempotency-key.ts'
import { type StoredPet, storedPet, storedPets, storeKey } from '../support/database.ts'
import { type Call, databaseResponses, type Fault } from '../support/fault-proxy.ts'
import { type Container, createEvent, isCreated, isServed, sendUntil, startContainer, takeId } from './container.ts'
import { runsAll, seed } from './fault-kinds.ts'

/** Which attempt continues, what its request to the database meets, and what happens just before. */
type Step = { attempt: number; fault: Fault | 'blind'; before: 'another pet' | 'change' | 'delete' | 'nothing' }

const step = fc.record<Step>({
  attempt: fc.nat(11),
  fault: fc.oneof(
    { weight: 5, arbitrary: fc.constant<Fault>('pass') },
    fc.constantFrom<Fault>('cut', { carriedOut: 'cut' }, databaseResponses.html, {
      carriedOut: databaseResponses.html,
    }),
    fc.constant('blind' as const),
  ),
  before: fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom('another pet', 'nothing') },
    fc.constantFrom('change', 'delete'),
  ),
})

// The first steps of an order; after them there are no faults.
const order = fc.array(step, { minLength: 20, maxLength: 60, size: 'max' })
const LAST_STEP: Step = { attempt: 0, fault: 'pass', before: 'nothing' }

const counts = { orders: 0, faults: 0, takenIds: 0, moves: 0, changes: 0, deletes: 0 }

const apiKey = await storeKey()
let containers: Container[] = []
await pets.find(1) // The SDK reads its address at the first request, and the containers have others.

test('concurrent attempts create one pet, in every order of requests to the database and with every fault', async () => {
  const orders = fc.asyncProperty(order, async (steps) => {
    // Failed retries use up the SDK's retry quota, which each container has once.
    if (counts.orders % 10 === 0) containers = await Promise.all([1, 2, 3].map(() => startContainer(apiKey)))
    const name = `Rex-${++counts.orders}`
    const event = createEvent({ name, apiKey, idempotencyKey: name })

    const attempts = containers.map((container) => holdCalls(container, () => sendUntil(container, event, isServed)))
    const asLeft = await releaseInOrder(steps, attempts)

    const exchanges = await Promise.all(attempts.map(({ exchanges }) => exchanges))
    const created = exchanges.flat().filter(isCreated)
    const reservation = intentDigest({ clientId: 'ann', operation: 'createPet', key: name })
    const stored = (await storedPets()).filter((pet) => pet.reservation === reservation)
    const pet = { id: created[0]?.response.body.id, name, categoryId: 7, status: 'available' }
    expect(stored).toEqual([asLeft.get(pet.id) ?? expect.objectContaining(pet)])
    expect(created.map(({ response }) => response.body)).toEqual(created.map(() => pet))
    expect(created.filter(({ response }) => !('Idempotent-Replayed' in response.headers)).length).toBeLessThanOrEqual(1)
    expect(exchanges.map((each) => each.at(-1)?.response.status)).toEqual([201, 201, 201])
  })

  // The search for a shorter order takes minutes.
  await fc.assert(orders, { seed, numRuns: runsAll ? 400 : 15, endOnFailure: !runsAll })
  expect(Object.values(counts)).not.toContain(0)
})

/** A request to the database that waits until its fault is known. */
type HeldCall = Call & { release: (fault: Fault) => void }

/** Runs an attempt and holds its requests to the database. `ready` waits for the next one, or for the end of the attempt. */
const holdCalls = <Result>({ proxy }: Container, run: () => Promise<Result>) => {
  const held: HeldCall[] = []
  let isOver = false
  let changed = Promise.withResolvers<void>()
  const change = () => {
    changed.resolve()
    changed = Promise.withResolvers()
  }
  proxy.faultOf = (call) =>
    new Promise((release) => {
      held.push({ ...call, release })
      change()
    })
  const exchanges = run().finally(() => {
    isOver = true
    change()
  })
  const ready = async () => {
    while (!isOver && held.length === 0) await changed.promise
  }
  return { held, ready, exchanges }
}

/** Returns the pets that were changed or deleted meanwhile, as they were stored then. */
const releaseInOrder = async (steps: Step[], attempts: { held: HeldCall[]; ready: () => Promise<void> }[]) => {
  const asLeft = new Map<number, StoredPet | undefined>()
  for (let i = 0; ; i++) {
    await Promise.all(attempts.map(({ ready }) => ready()))
    const waiting = attempts.filter(({ held }) => held.length > 0)
    if (waiting.length === 0) return asLeft
    const next = steps[i] ?? LAST_STEP
    const call = waiting[next.attempt % waiting.length]?.held.shift()
    if (call) await release(call, next, asLeft)
  }
}

const release = async (call: HeldCall, { fault, before }: Step, asLeft: Map<number, StoredPet | undefined>) => {
  const { Item, ConditionExpression } = JSON.parse(call.body)
  const id = Number(Item?.id?.N)
  if (id && before === 'another pet' && (await takeId(id))) counts.takenIds++
  if (id) asLeft.set(id, asLeft.get(id))
  if (before === 'change' || before === 'delete') await changeAll(before, asLeft)
  // A blind read finds nothing. A write never succeeds without its execution.
  const met = fault !== 'blind' ? fault : call.operation === 'GetItem' ? databaseResponses.nothing : 'pass'
  if (met !== 'pass') counts.faults++
  if (/petId/.test(ConditionExpression)) counts.moves++
  call.release(met)
}

/** Changes or deletes the pets that have been stored so far. */
const changeAll = async (kind: 'change' | 'delete', asLeft: Map<number, StoredPet | undefined>) => {
  for (const id of asLeft.keys()) {
    const isDone = kind === 'delete' ? await pets.remove(id) : await pets.change(id, { name: 'Max', status: null })
    if (!isDone) continue
    counts[`${kind}s`]++
    asLeft.set(id, await storedPet(id))
  }
}
