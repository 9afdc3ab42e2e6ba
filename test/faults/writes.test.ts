import { describe, expect, test } from 'vitest'
import type { Event } from '../../shared/http.ts'
import { againIfBusy, putItem, type Stored, storedItem, storedItems, storeItem, storeKey } from '../support/database.ts'
import { errorResponse, responseTo, unavailable } from '../support/events.ts'
import type { Call } from '../support/fault-proxy.ts'
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
  changeEvent,
  createEvent,
  deleteEvent,
  type Exchange,
  isInTime,
  isServed,
  send,
  sendUntil,
  type Wish,
} from './container.ts'

/** A request that creates, changes or deletes a pet. The pet's name is that of the wish. */
type WriteWay = Way & {
  event: (wish: Wish, id: number) => Event
  /** Whether the pet exists before. */
  exists?: boolean
  before?: (container: Container, event: Event) => Promise<unknown>
  /** The responses that a client gets without faults: to its request, and to a retry if that has an idempotency key. */
  served: string
  /** The responses to its retries after a 503. */
  retried: string[]
  /** The status of the pet afterwards; none if there is no pet. */
  leaves?: string | undefined
}

const KEY = 'GetItem ApiKeys'
const RESERVED = 'GetItem IdempotencyKeys'
const CREATE = 'TransactWriteItems IdempotencyKeys Pets'
const READ = 'GetItem Pets'
const WRITE = 'TransactWriteItems Pets'

const untilServed = (container: Container, event: Event) => sendUntil(container, event, isServed)

/** Changes an item right before the first request of this name that writes it. */
const beforeFirst = (name: string, change: (item: Record<string, { N: string }>) => Promise<unknown>) => () => {
  let isChanged = false
  return async (call: Call) => {
    if (isChanged || nameOf(call) !== name) return
    isChanged = true
    const puts: { Put: { Item: Record<string, { N: string }> } }[] = JSON.parse(call.body).TransactItems
    await change(puts.at(-1)?.Put.Item ?? {})
  }
}
const takeId = (name: string) =>
  beforeFirst(name, (item) =>
    storeItem({ id: Number(item.id?.N), name: 'Another', categoryId: 1, shard: 0, revision: 'y' }),
  )
const changeCategory = beforeFirst(WRITE, async (item) => {
  const pet = await storedItem(Number(item.id?.N))
  if (pet) await putItem('pets', { ...pet, categoryId: 8, revision: 'y' })
})

const CHANGE = { status: 'sold' }
const change = ({ apiKey }: Wish, id: number) => changeEvent(id, CHANGE, apiKey)
const changeOfRevision = ({ apiKey }: Wish, id: number) => changeEvent(id, CHANGE, apiKey, `"${id}-x"`)
const changeOfOther = ({ apiKey }: Wish, id: number) => changeEvent(id, CHANGE, apiKey, `"${id}-z"`)
const withoutKey = ({ name, apiKey }: Wish) => createEvent({ name, apiKey })

const creates = {
  event: createEvent,
  served: '201 replay',
  retried: ['201 replay', 'replay replay'],
  leaves: 'available',
}
const createsWithoutKey = { event: withoutKey, served: '201', retried: [''], leaves: 'available' }
const changes = { exists: true, served: '200', leaves: 'sold' }
const ways: Record<string, WriteWay> = {
  'a create with a key': { calls: [KEY, RESERVED, CREATE], ...creates },
  'a create with a key whose response is lost': { calls: [KEY, RESERVED, CREATE, CREATE], loses: CREATE, ...creates },
  'a create with a key that has created a pet': {
    ...{ calls: [KEY, RESERVED], ...creates, before: untilServed, served: 'replay replay', retried: ['replay replay'] },
  },
  'a create with a key, when the id is in use': {
    ...{ calls: [KEY, RESERVED, CREATE, RESERVED, CREATE], meanwhile: takeId(CREATE), ...creates },
  },
  'a create without a key': { calls: [KEY, WRITE], ...createsWithoutKey },
  'a create without a key, when the id is in use': {
    ...{ calls: [KEY, WRITE, WRITE], meanwhile: takeId(WRITE), ...createsWithoutKey },
  },
  'a change': { calls: [KEY, READ, WRITE], event: change, ...changes, retried: ['200'] },
  'a change, after another one': {
    ...{
      calls: [KEY, READ, WRITE, READ, WRITE],
      meanwhile: changeCategory,
      event: change,
      ...changes,
      retried: ['200'],
    },
  },
  // A change or a delete that gets a 503 may have taken effect.
  'a change of a revision': { calls: [KEY, READ, WRITE], event: changeOfRevision, ...changes, retried: ['200', '412'] },
  'a change of a revision, after another change': {
    ...{ calls: [KEY, READ, WRITE, READ], meanwhile: changeCategory, event: changeOfRevision },
    ...{ exists: true, served: '412', retried: ['412'], leaves: 'available' },
  },
  'a change of another revision': {
    ...{ calls: [KEY, READ], event: changeOfOther, exists: true, served: '412', retried: ['412'], leaves: 'available' },
  },
  'a delete whose response is lost': {
    ...{ calls: [KEY, READ, WRITE, WRITE], loses: WRITE, event: ({ apiKey }, id) => deleteEvent(id, apiKey) },
    ...{ exists: true, served: '204', retried: ['204', '404'] },
  },
  'a delete of a revision': {
    ...{ calls: [KEY, READ, WRITE], event: ({ apiKey }, id) => deleteEvent(id, apiKey, `"${id}-x"`) },
    ...{ exists: true, served: '204', retried: ['204', '404'] },
  },
  'a delete of no pet': {
    ...{ calls: [KEY, READ], event: ({ apiKey }, id) => deleteEvent(id, apiKey), served: '404', retried: ['404'] },
  },
}

test.each(Object.entries(ways))('%s sends no unnecessary requests to the database', againIfBusy, async (title, way) => {
  const { calls, responses } = await run(withoutFaults(title, way))

  expect({ calls, responses }).toEqual({ calls: way.calls, responses: way.served })
})

describe.concurrent('a pet is created, changed or deleted once, or the response is a 503, whichever calls meet', () => {
  test.each(Object.entries(faultKinds))('%s', async (title, kind) => {
    const outcomes = await Promise.all(casesOf(ways, title, kind).map(run))

    const stored = await storedItems()
    for (const outcome of outcomes) expectOnce(outcome, stored)
  })
})

let names = 0

/** The requests to the database and the faults during the first request, and the responses to all. */
const run = (each: Case<WriteWay>) =>
  runCase(each, async (container) => {
    const { way } = each
    const id = ++names
    const name = `Rex ${id}`
    if (way.exists) await storeItem({ ...petOf(id), shard: 0, statusShard: 'available#0', revision: 'x' })
    const wish = { name, apiKey: await storeKey(), idempotencyKey: `rex-${id}` }
    // With another API key of the client, so that the first request has to read its own.
    await way.before?.(container, way.event({ ...wish, apiKey: await storeKey() }, id))
    const event = way.event(wish, id)
    const endFaults = startFaults(container, each)
    const exchanges: [Exchange, ...Exchange[]] = [await send(container, event)]
    const met = await endFaults()
    const hasKey = 'Idempotency-Key' in event.headers
    if (way.retried[0] && !isServed(exchanges[0])) exchanges.push(...(await untilServed(container, event)))
    // The retry of a client that did not get the response.
    if (hasKey) exchanges.push(...(await untilServed(container, event)))
    const responses = exchanges.filter((exchange, i) => i === 0 || isServed(exchange)).map(nameOfResponse)
    return { each, id, exchanges, responses: responses.join(' '), ...met }
  })

const petOf = (id: number) => ({ id, name: `Rex ${id}`, categoryId: 7, status: 'available' })

const nameOfResponse = ({ response: { status, headers } }: Exchange): string =>
  'Idempotent-Replayed' in headers ? 'replay' : String(status)

/** Expects that what is stored is as the responses say, and that each response is complete. */
const expectOnce = ({ each, id, exchanges, responses, faults }: Awaited<ReturnType<typeof run>>, all: Stored[]) => {
  const { title, way } = each
  const [first] = exchanges
  if (isInTime(first)) expect(faults, title).toBeGreaterThan(0)
  const { success, failure } = possible(each, first)
  const expected = [
    ...(success ? [way.served] : []),
    ...(failure ? way.retried.map((last) => `503 ${last}`.trim()) : []),
  ]
  expect({ title, responses }).toEqual({ title, responses: expect.toBeOneOf(expected) })

  const stored = all.filter(({ name }) => name === `Rex ${id}`)
  const [{ revision, ...pet } = { id }] = stored
  const body = { ...petOf(id), id: pet.id, categoryId: way.meanwhile === changeCategory ? 8 : 7, status: way.leaves }
  const item = { ...body, shard: 0, statusShard: `${way.leaves}#0` }
  const mayBeMissing = responses === '503' || !way.leaves
  expect({ title, stored: stored.length }).toEqual({
    title,
    stored: mayBeMissing ? expect.toBeOneOf(way.leaves ? [0, 1] : [0]) : 1,
  })
  if (stored.length > 0) expect(pet).toEqual(item)
  for (const { event, response } of exchanges)
    expect(response).toEqual(responseTo(event, expectedResponse(response, pet.id, body, `"${pet.id}-${revision}"`)))
}

const expectedResponse = ({ status, headers }: Exchange['response'], id: unknown, body: object, ETag: string) => {
  if (status === 204) return { status }
  if (status === 404) return errorResponse(404, 'not_found', `No pet has the id ${id}.`)
  if (status === 412) return errorResponse(412, 'precondition_failed', expect.stringContaining('current ETag'))
  if (status === 200) return { status, headers: { ETag }, body }
  const isReplay = 'Idempotent-Replayed' in headers && { 'Idempotent-Replayed': 'true' }
  return status === 201 ? { status, headers: { Location: `/v1/pets/${id}`, ETag, ...isReplay }, body } : unavailable
}
