import { beforeEach, expect, test } from 'vitest'
import * as pets from '../../shared/data/pets.ts'
import type { Event } from '../../shared/http.ts'
import { call } from '../support/call.ts'
import { putItem } from '../support/database.ts'
import { eventOf, responseTo } from '../support/events.ts'

const rex = { id: 373117652410368, name: 'Rex', categoryId: 7, status: 'available' }
const stored = { ...rex, shard: 0, statusShard: 'available#0', creation: 'a token that nobody sees' }
const JSON_TYPE = { 'Content-Type': 'application/json' }
const withBody = (body: string) => eventOf('updatePet-changed', { body })

beforeEach(() => putItem('pets', stored))

test.each([
  ['a merge patch', eventOf('updatePet-changed'), { ...rex, status: 'sold' }],
  ['application/json', eventOf('updatePet-changed', { headers: JSON_TYPE }), { ...rex, status: 'sold' }],
  ['a new name', withBody('{"name":"Max"}'), { ...rex, name: 'Max' }],
  ['null as status', withBody('{"status":null}'), { id: rex.id, name: 'Rex', categoryId: 7 }],
  ['values that the pet has', withBody('{"name":"Rex","categoryId":7,"status":"available"}'), rex],
  [
    'fields that nobody may set',
    withBody('{"id":1,"shard":7,"creation":"mine","categoryId":8}'),
    { ...rex, categoryId: 8 },
  ],
])('returns 200 with the changed pet for %s', async (_, event, pet) => {
  const response = await call(event)

  const headers = { ETag: expect.stringMatching(/^"[\da-f]{32}"$/) }
  expect(response).toEqual(responseTo(event, { status: 200, headers, body: pet }))
  expect((await pets.find(rex.id))?.resource).toEqual(pet)
})

/** Sends 100 changes of the pet at the same time. On a busy machine, some get a 503. */
const changeAtOnce = async (eventOfChange: (i: number) => Event) => {
  const responses = await Promise.all(Array.from({ length: 100 }, (_, i) => call(eventOfChange(i))))
  const served = responses.filter(({ status }) => status !== 503)
  return { served, isComplete: served.length === responses.length }
}

test('of 100 changes of one revision at the same time, one succeeds, and the others get a 412', async () => {
  const { served, isComplete } = await changeAtOnce((i) =>
    eventOf('updatePet-changed', { headers: { 'If-Match': `"${rex.id}"` }, body: `{"categoryId":${i}}` }),
  )

  const changed = served.filter(({ status }) => status !== 412)
  const found = await pets.find(rex.id)
  const success = expect.objectContaining({ status: 200, body: found?.resource })
  expect(changed).toEqual(expect.toBeOneOf([[success], ...(isComplete ? [] : [[]])]))
  expect(changed[0]?.headers.ETag ?? found?.etag).toBe(found?.etag)
})

test('of 100 changes of different fields at the same time, all are kept', async () => {
  const changes = [{ name: 'Max' }, { categoryId: 8 }, { status: 'sold' }]

  const { served } = await changeAtOnce((i) => withBody(JSON.stringify(changes[i % 3])))

  expect(new Set(served.map(({ status }) => status))).toEqual(new Set([200]))
  expect((await pets.find(rex.id))?.resource).toEqual({ id: rex.id, name: 'Max', categoryId: 8, status: 'sold' })
})
