import * as v from 'valibot'
import { describe, expect, test } from 'vitest'
import { cursorAfter } from '../../shared/model/paging.ts'
import { putItem, storedItems } from '../support/database.ts'
import { errorResponse } from '../support/events.ts'
import { example, has } from '../support/example.ts'
import { casesOf, eventFrom, expectResponses, run, type Way } from './cases.ts'
import { faultKinds } from './fault-kinds.ts'

const { collection, table, events } = example
const { other } = example.change

/** A request that lists, creates, changes or deletes; and the fields that it leaves changed. */
type WriteWay = Way & { leaves?: object }

const KEY = 'GetItem apiKeys'
const RESERVED = 'GetItem idempotencyKeys'
const CREATE = `TransactWriteItems idempotencyKeys ${table}`
const READ = `GetItem ${table}`
const WRITE = `TransactWriteItems ${table}`

const nameOf = (number: number) => `Rex ${number}`
const bodyOf = (number: number) => example.body(nameOf(number))
const stored = (id: number) => example.item(id, bodyOf(id))
const exists = (id: number) => putItem(table, stored(id))

const list: Way['event'] = (apiKey) =>
  eventFrom(apiKey, events.list, { query: { cursor: cursorAfter(2) } })
const createWithout: Way['event'] = (apiKey, i) =>
  eventFrom(apiKey, events.create, { body: JSON.stringify(bodyOf(i)) })
const create: Way['event'] = (apiKey, i) =>
  eventFrom(apiKey, events.create, {
    body: JSON.stringify(bodyOf(i)),
    headers: { 'Idempotency-Key': `rex-${i}` },
  })
const headersOf = (id: number, revision?: string) =>
  revision ? { 'If-Match': `"${id}-${revision}"` } : {}
const change = (revision?: string): Pick<Way, 'event'> => {
  const body = JSON.stringify(other)
  return {
    event: (key, i) =>
      eventFrom(key, example.change.event, { id: `${i}`, body, headers: headersOf(i, revision) }),
  }
}
const remove = (revision?: string): Pick<Way, 'event'> => ({
  event: (apiKey, id) =>
    eventFrom(apiKey, example.remove.event, { id: `${id}`, headers: headersOf(id, revision) }),
})

/** Another request creates a resource with the same id. */
const isTaken: Way['meanwhile'] = (id) => putItem(table, example.item(id, example.body('Another')))
const note = 'Made by a later version.'
const isChanged: Way['meanwhile'] = (id) => putItem(table, { ...stored(id), note, revision: 'y' })

const created = {
  event: create,
  served: '201 replay',
  retried: ['201 replay', 'replay replay'],
  leaves: {},
}
const changed = { exists, served: '200', retried: ['200'], leaves: other }
const refused = { exists, served: '412', retried: ['412'], leaves: {} }
// A change or a delete that gets a 503 may have taken effect.
const removed = { exists, served: '204', retried: ['204', '404'] }
const ways: Record<string, WriteWay> = {
  'a list': { calls: [KEY, `Query ${table}`], event: list, served: '200', retried: ['200'] },
  'a create with a key': { calls: [KEY, RESERVED, CREATE], ...created },
  'a create with a key, when the id is in use': {
    ...{ calls: [KEY, RESERVED, CREATE, RESERVED, CREATE], meanwhile: isTaken, ...created },
  },
  'a create without a key': {
    calls: [KEY, WRITE],
    event: createWithout,
    served: '201',
    retried: [''],
    leaves: {},
  },
  ...(has.change && {
    'a change': { calls: [KEY, READ, WRITE], ...change(), ...changed },
    'a change, after another one': {
      ...{ calls: [KEY, READ, WRITE, READ, WRITE], meanwhile: isChanged, ...change(), ...changed },
    },
    'a change of a revision': {
      calls: [KEY, READ, WRITE],
      ...change('x'),
      ...changed,
      retried: ['200', '412'],
    },
    'a change of a revision, after another change': {
      ...{ calls: [KEY, READ, WRITE, READ], meanwhile: isChanged, ...change('x'), ...refused },
    },
  }),
  ...(has.remove && {
    'a delete of a revision': { calls: [KEY, READ, WRITE], ...remove('x'), ...removed },
    'a delete of nothing': { calls: [KEY, READ], ...remove(), served: '404', retried: ['404'] },
  }),
}

describe.concurrent('what is written is written once, or the response is a 503, whichever calls meet', () => {
  test.each(Object.entries(faultKinds))('%s', async (title, kind) => {
    const outcomes = await Promise.all(casesOf(ways, title, kind).map(run))

    const all = await storedItems(table)
    for (const outcome of outcomes) expectStored(outcome, all)
  })
})

type Outcome = Awaited<ReturnType<typeof run<WriteWay>>>

/** Expects that what is stored is as the responses say, and that each response is complete. */
const expectStored = (outcome: Outcome, all: Record<string, unknown>[]) => {
  const { each, number, responses } = outcome
  const { title, way } = each
  const items = all.filter((item) => Object.values(item).includes(nameOf(number)))
  const least = responses === '503' ? 0 : 1
  expect(items.length, title).toBeOneOf(way.leaves ? [least, 1] : [0])

  const [item] = items
  const body = item ? v.parse(example.schema, item) : { id: number }
  const sent = {
    ...bodyOf(number),
    ...way.leaves,
    ...(way.meanwhile === isChanged && { note }),
  }
  if (item) expect(item).toEqual(collection.itemOf({ ...item, ...sent }))
  expectResponses(
    outcome,
    { path: example.path, body, revision: item?.revision },
    {
      ...(way.event === list && { 200: { body: [] } }),
      404: errorResponse(404, 'not_found', example.notFound(number)),
      412: errorResponse(412, 'precondition_failed', expect.stringContaining('current ETag')),
    },
  )
}
