import { beforeEach, expect, test } from 'vitest'
import * as pets from '../../shared/data/pets.ts'
import { call } from '../support/call.ts'
import { putItem } from '../support/database.ts'
import { eventOf } from '../support/events.ts'
import { badRequest, errorResponse, responseTo } from '../support/responses.ts'

const NAME = 'name must be a string of 1 to 1000 characters, not only white space, in valid Unicode, or omitted'
const CATEGORY_ID =
  'categoryId must be a JSON number, without quotes: an integer from -9223372036854775808 to 9223372036854775807, in digits, or omitted'
const STATUS = 'status must be one of available, pending, sold, null, or omitted'
const EXPECTED = `It must be a JSON object in which ${NAME}; ${CATEGORY_ID}; ${STATUS}.`
const NO_CHANGE = 'The body must have at least one of name, categoryId and status.'

const rex = { id: 373117652410368, name: 'Rex', categoryId: 7, status: 'available' }
const stored = { ...rex, shard: 0, statusShard: 'available#0', creation: 'a token that nobody sees' }
const withBody = (body: string | null) => eventOf('updatePet-changed', { body })
const withType = (type: string) => eventOf('updatePet-changed', { headers: { 'Content-Type': type } })

const read = () => pets.find(rex.id)

beforeEach(() => putItem('pets', stored))

test.each([
  ['a merge patch', eventOf('updatePet-changed'), { ...rex, status: 'sold' }],
  ['application/json', withType('application/json'), { ...rex, status: 'sold' }],
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

  expect(response).toEqual(responseTo(event, { status: 200, body: pet }))
  expect(await read()).toEqual(pet)
})

test.each([
  ['no field', '{}', NO_CHANGE],
  ['only an id', '{"id":7}', NO_CHANGE],
  ['only unknown fields', '{"tag":"x","Name":"Max"}', NO_CHANGE],
  ['null as name', '{"name":null}', `${NAME}.`],
  ['null as categoryId', '{"categoryId":null,"status":"sold"}', `${CATEGORY_ID}.`],
  ['an unknown status', '{"status":"gone"}', `${STATUS}.`],
  ['null', 'null', `The body is not a JSON object. ${EXPECTED}`],
  ['an array', '[]', `The body is not a JSON object. ${EXPECTED}`],
  ['no body', null, `The body is missing. ${EXPECTED}`],
])('returns 400 with what a change may hold, and changes nothing, for %s', async (_, body, message) => {
  const event = withBody(body)

  const response = await call(event)

  expect(response).toEqual(responseTo(event, badRequest(message)))
  expect(await read()).toEqual(rex)
})

test.each([
  ['another content type', 415, 'unsupported_media_type', withType('text/plain')],
  ['more than 256 KiB', 413, 'payload_too_large', withBody('{"status":"sold"}'.padEnd(262_145))],
])('refuses a body with %s, and changes nothing', async (_, status, code, event) => {
  const response = await call(event)

  expect(response).toEqual(responseTo(event, errorResponse(status, code, expect.any(String))))
  expect(await read()).toEqual(rex)
})

test('returns 404 for an unknown id', async () => {
  const event = eventOf('updatePet-changed', { petId: '373117652410369' })

  const response = await call(event)

  expect(response).toEqual(responseTo(event, errorResponse(404, 'not_found', 'No pet has the id 373117652410369.')))
})
