import '../support/database.ts'
import { expect, test } from 'vitest'
import { call, fixture } from './call.ts'
import { badRequest, responseTo } from './responses.ts'
import { countStored } from './stored-pet.ts'

const NAME = 'name must be a string of 1 to 1000 characters, not only white space, in valid Unicode'
const CATEGORY_ID = 'categoryId must be an integer from -9223372036854775808 to 9223372036854775807, in digits'
const STATUS = 'status must be one of available, pending, sold, or omitted'
const EXPECTED = `It must be a JSON object in UTF-8, without a key __proto__, in which ${NAME}; ${CATEGORY_ID}; ${STATUS}.`
const UNREADABLE = `The body cannot be read as JSON. ${EXPECTED}`
const NO_OBJECT = `The body is not a JSON object. ${EXPECTED}`

test.each([
  ['createPet-every-field-wrong', `${NAME}; ${CATEGORY_ID}; ${STATUS}.`],
  ['createPet-no-fields', `${NAME}; ${CATEGORY_ID}.`],
  ['createPet-name-empty', `${NAME}.`],
  ['createPet-name-blank', `${NAME}.`],
  ['createPet-name-lone-surrogate', `${NAME}.`],
  ['createPet-name-replacement-character', `${NAME}.`],
  ['createPet-status-null', `${STATUS}.`],
  ['createPet-no-body', UNREADABLE],
  ['createPet-empty-body', UNREADABLE],
  ['createPet-malformed-json', UNREADABLE],
  ['createPet-not-utf8', UNREADABLE],
  ['createPet-proto-key', UNREADABLE],
  ['createPet-null-body', NO_OBJECT],
  ['createPet-array-body', NO_OBJECT],
  ['createPet-string-body', NO_OBJECT],
])('answers %s with a 400 that says all that is wrong, and adds nothing', async (name, message) => {
  const event = fixture(name)

  const response = await call(event)

  expect(response).toEqual(responseTo(event, badRequest(message)))
  expect(await countStored()).toBe(0)
})

test.each(['createPet-text-plain', 'createPet-form', 'createPet-no-content-type', 'createPet-no-body-no-type'])(
  'answers %s with a 415 that says what to send, and adds nothing',
  async (name) => {
    const event = fixture(name)

    const response = await call(event)

    const message = 'Send the body as JSON, with the header Content-Type: application/json'
    const body = { code: 'unsupported_media_type', message, status: 415 }
    expect(response).toEqual(responseTo(event, { status: 415, body }))
    expect(await countStored()).toBe(0)
  },
)
