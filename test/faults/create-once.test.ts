import { describe, expect, test } from 'vitest'
import { list } from '../../shared/data/pets.ts'
import type { Pet } from '../../shared/model/pet.ts'
import { responseTo, unavailable } from '../functions/responses.ts'
import { type StoredPet, storedPets } from '../shared/data/faulty-database.ts'
import { type Exchange, isCreated, isInTime } from './container.ts'
import { type Case, hasKey, type Outcome, run, ways } from './creates.ts'
import { type FaultKind, faultKinds, runsAll } from './fault-kinds.ts'

test.each(Object.entries(ways))('a create %s sends no unnecessary requests to the database', async (title, way) => {
  const { calls, creates } = await run({ title, way, fault: 'pass', overcome: 0, from: 1, times: 0 })

  expect(creates[0]?.response.status).toBe(201)
  expect(calls).toEqual(way.calls)
})

describe.concurrent('creates one pet, whichever requests to the database meet', { timeout: 300_000 }, () => {
  test.each(Object.entries(faultKinds))('%s', async (title, kind) => {
    const outcomes = await Promise.all(casesOf(title, kind).map(run))

    const stored = await storedPets()
    for (const outcome of outcomes) expectOnce(outcome, stored)
  })
})

test('lists each of these pets once', async () => {
  const stored = await storedPets()
  const listed: Pet[] = []

  for (let before: number | undefined = Number.MAX_SAFE_INTEGER; before !== undefined; ) {
    const page = await list({ limit: 100, before })
    listed.push(...page.pets)
    before = page.next
  }

  const pets = stored.map(({ id, name, categoryId, status }) => ({ id, name, categoryId, status }))
  expect(listed).toEqual(pets.sort((a, b) => b.id - a.id))
})

/** A kind of fault at each request to the database of each way to create a pet. */
const casesOf = (title: string, kind: FaultKind): Case[] => {
  // Once, as often as the SDK retries a request, as often as it sends it, and until the client gives up.
  const allTimes = runsAll && kind.fault !== 'refuse' ? [1, 2, 3, 1000] : [1]
  return Object.entries(ways).flatMap(([name, way]) =>
    way.calls.flatMap((call, i) =>
      allTimes.map((times) => {
        const caseTitle = `${times} times ${title}, from request ${i + 1} (${call}) of a create ${name}`
        return { ...kind, title: caseTitle, way, from: i + 1, times }
      }),
    ),
  )
}

/** Expects that a case lost and doubled no pet, and that each response is complete. */
const expectOnce = ({ each, name, faults, creates, read }: Outcome, stored: StoredPet[]): void => {
  const isFirstInTime = creates.slice(0, 1).every(isInTime)
  if (isFirstInTime) expect(faults, each.title).toBeGreaterThan(0)
  const pets = stored.filter((pet) => pet.name === name)
  const statuses = creates.filter((exchange, i) => i === 0 || isInTime(exchange)).map(statusOf)
  expect({ title: each.title, statuses: statuses.join(' '), pets: pets.length }).toEqual({
    title: each.title,
    statuses: expect.toBeOneOf(possibleStatuses(each, isFirstInTime)),
    pets: statuses.every((status) => status === 'unavailable') ? expect.toBeOneOf([0, 1]) : 1,
  })
  const body = { id: pets[0]?.id, name, categoryId: 7, status: 'available' }
  expect(creates.map(({ response }) => response)).toEqual(creates.map((exchange) => wholeResponse(exchange, body)))
  if (hasKey(each.way)) expect(read).toMatchObject({ status: 200, body })
}

const statusOf = (exchange: Exchange): string => {
  const { status, headers } = exchange.response
  if (isCreated(exchange)) return 'Idempotent-Replayed' in headers ? 'replayed' : 'created'
  return status === 503 ? 'unavailable' : String(status)
}

/** The responses that a client can get, one after the other. */
const possibleStatuses = ({ way, overcome, times }: Case, isFirstInTime: boolean): string[] => {
  const first = way === ways['with a key that has created a pet'] ? 'replayed' : 'created'
  const served = hasKey(way) ? [`${first} replayed`] : [first]
  // A request that gets a 503 may have created the pet.
  const failed = hasKey(way) ? [`unavailable ${first} replayed`, 'unavailable replayed replayed'] : ['unavailable']
  if (overcome === 0 || (times >= 3 && times > overcome)) return failed
  return times <= overcome && isFirstInTime ? served : [...served, ...failed]
}

const wholeResponse = (exchange: Exchange, body: { id: unknown }) => {
  const status = statusOf(exchange)
  if (status === 'unavailable') return responseTo(exchange.event, unavailable)
  const headers = { Location: `/v1/pets/${body.id}`, ...(status === 'replayed' && { 'Idempotent-Replayed': 'true' }) }
  return responseTo(exchange.event, { status: 201, headers, body })
}
