import { describe, expect, test } from 'vitest'
import { againIfBusy, type StoredPet, storedPets, storeKey } from '../support/database.ts'
import { responseTo, unavailable } from '../support/events.ts'
import { type Call, databaseResponses } from '../support/fault-proxy.ts'
import {
  type Case,
  casesOf,
  faultKinds,
  nameOf,
  possible,
  runCase,
  startFaults,
  type Way,
  withoutFaults,
} from './cases.ts'
import {
  type Container,
  createEvent,
  type Exchange,
  isCreated,
  isInTime,
  isServed,
  send,
  sendUntil,
  takeId,
  type Wish,
} from './container.ts'

/** A way to create a pet; `before` sends an earlier request with the same idempotency key. */
type CreateWay = Way & { before?: (container: Container, wish: Wish) => Promise<unknown> }

const KEY = 'GetItem ApiKeys'
const RESERVE = 'PutItem IdempotencyKeys'
const RESERVED = 'GetItem IdempotencyKeys'
const PUT = 'PutItem Pets'
const READ = 'GetItem Pets'

const create = (container: Container, wish: Wish) => sendUntil(container, createEvent(wish), isCreated)

const failBeforePut = (container: Container, wish: Wish) => {
  let hasFailed = false
  container.proxy.faultOf = (call) => {
    hasFailed ||= nameOf(call) === PUT
    return nameOf(call) === PUT ? databaseResponses.html : 'pass'
  }
  return sendUntil(container, createEvent(wish), () => hasFailed)
}

/** Stores another pet under the first id that a pet is to get. */
const takeFirstId = () => {
  let isTaken = false
  return async (call: Call) => {
    if (isTaken || nameOf(call) !== PUT) return
    isTaken = true
    await takeId(Number(JSON.parse(call.body).Item.id.N))
  }
}

const ways: Record<string, CreateWay> = {
  'a create with a key': { calls: [KEY, RESERVE, PUT] },
  'a create with a key that has created a pet': { calls: [KEY, RESERVE, RESERVED, READ], before: create },
  'a create with a key whose first request failed': {
    calls: [KEY, RESERVE, RESERVED, READ, RESERVE, PUT],
    before: failBeforePut,
  },
  'a create with a key, when the id is in use': {
    calls: [KEY, RESERVE, PUT, READ, RESERVE, PUT],
    meanwhile: takeFirstId,
  },
  'a create without a key': { calls: [KEY, PUT] },
  'a create without a key, when the id is in use': { calls: [KEY, PUT, READ, PUT], meanwhile: takeFirstId },
}

const hasKey = ({ calls }: Way): boolean => calls.includes(RESERVE)

test.each(Object.entries(ways))('%s sends no unnecessary requests to the database', againIfBusy, async (title, way) => {
  const { calls, creates } = await run(withoutFaults(title, way))

  expect(creates[0]?.response.status).toBe(201)
  expect(calls).toEqual(way.calls)
})

describe.concurrent('creates one pet, whichever requests to the database meet', () => {
  test.each(Object.entries(faultKinds))('%s', async (title, kind) => {
    const outcomes = await Promise.all(casesOf(ways, title, kind).map(run))

    const stored = await storedPets()
    for (const outcome of outcomes) expectOnce(outcome, stored)
  })
})

let names = 0

/** The requests to the database and the faults during the first create, and all creates. */
const run = (each: Case<CreateWay>) =>
  runCase(each, async (container) => {
    const name = `Rex-${++names}`
    const wish: Wish = { name, apiKey: await storeKey(), idempotencyKey: hasKey(each.way) ? name : undefined }
    // With another API key of the client, so that the create below has to read its own.
    await each.way.before?.(container, { ...wish, apiKey: await storeKey() })
    const endFaults = startFaults(container, each)
    const event = createEvent(wish)
    const creates: [Exchange, ...Exchange[]] = [await send(container, event)]
    const met = await endFaults()
    if (hasKey(each.way)) {
      if (!creates.every(isCreated)) creates.push(...(await sendUntil(container, event, isCreated)))
      // The retry of a client that did not get the 201.
      creates.push(...(await sendUntil(container, event, isCreated)))
    }
    return { each, name, creates, ...met }
  })

/** Expects that a case lost and doubled no pet, and that each response is complete. */
const expectOnce = (outcome: Awaited<ReturnType<typeof run>>, stored: StoredPet[]): void => {
  const { each, name, faults, creates } = outcome
  if (isInTime(creates[0])) expect(faults, each.title).toBeGreaterThan(0)
  const pets = stored.filter((pet) => pet.name === name)
  const statuses = creates.filter((exchange, i) => i === 0 || isServed(exchange)).map(statusOf)
  expect({ title: each.title, statuses: statuses.join(' '), pets: pets.length }).toEqual({
    title: each.title,
    statuses: expect.toBeOneOf(possibleStatuses(each, creates[0])),
    pets: statuses.every((status) => status === 'unavailable') ? expect.toBeOneOf([0, 1]) : 1,
  })
  const body = { id: pets[0]?.id, name, categoryId: 7, status: 'available' }
  expect(creates.map(({ response }) => response)).toEqual(creates.map((exchange) => wholeResponse(exchange, body)))
  if (pets[0]) expect(pets[0]).toMatchObject(body)
}

const statusOf = (exchange: Exchange): string => {
  const { status, headers } = exchange.response
  if (isCreated(exchange)) return 'Idempotent-Replayed' in headers ? 'replayed' : 'created'
  return status === 503 ? 'unavailable' : String(status)
}

/** The responses that a client can get, one after the other. */
const possibleStatuses = (each: Case<CreateWay>, exchange: Exchange): string[] => {
  const first = each.way === ways['a create with a key that has created a pet'] ? 'replayed' : 'created'
  const served = hasKey(each.way) ? [`${first} replayed`] : [first]
  // A request that gets a 503 may have created the pet.
  const failed = hasKey(each.way) ? [`unavailable ${first} replayed`, 'unavailable replayed replayed'] : ['unavailable']
  const { success, failure } = possible(each, exchange)
  return [...(success ? served : []), ...(failure ? failed : [])]
}

const wholeResponse = (exchange: Exchange, body: { id: unknown }) => {
  const status = statusOf(exchange)
  if (status === 'unavailable') return responseTo(exchange.event, unavailable)
  const headers = {
    Location: `/v1/pets/${body.id}`,
    ETag: `"${body.id}"`,
    ...(status === 'replayed' && { 'Idempotent-Replayed': 'true' }),
  }
  return responseTo(exchange.event, { status: 201, headers, body })
}
