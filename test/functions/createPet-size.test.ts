import '../support/database.ts'
import { expect, test } from 'vitest'
import { call, fixture } from './call.ts'
import { badRequest, responseTo } from './responses.ts'

const KIB_256 = 262_144
const REX = '{"name":"Rex","categoryId":7}'

const created = (body: string, isBase64Encoded = false) => ({ ...fixture('createPet-created'), body, isBase64Encoded })

test.each([
  ['of 256 KiB', created(REX.padEnd(KIB_256))],
  ['of 256 KiB, which are more in base64', created(Buffer.from(REX.padEnd(KIB_256)).toString('base64'), true)],
])('takes a body %s', async (_, event) => {
  const response = await call(event)

  const headers = { Location: `/v1/pets/${response.body.id}` }
  const body = { id: expect.any(Number), name: 'Rex', categoryId: 7 }
  expect(response).toEqual(responseTo(event, { status: 201, headers, body }))
})

test.each([
  ['of 256 KiB and one byte', created(REX.padEnd(KIB_256 + 1))],
  ['of 256 KiB and one byte in base64', created(Buffer.from(REX.padEnd(KIB_256 + 1)).toString('base64'), true)],
  ['of fewer characters but more bytes', created(`{"name":"Rex","categoryId":7,"note":"${'ë'.repeat(KIB_256 / 2)}"}`)],
])('answers a body %s with 413', async (_, event) => {
  const response = await call(event)

  const body = { code: 'payload_too_large', message: 'The body must not be larger than 256 KiB.', status: 413 }
  expect(response).toEqual(responseTo(event, { status: 413, body }))
})

test('answers 100 KB of nesting with 400, as a body that cannot be read', async () => {
  const event = created(`{"name":"Rex","categoryId":7,"deep":${'['.repeat(50_000)}${']'.repeat(50_000)}}`)

  const response = await call(event)

  const message = expect.stringMatching(/^The body cannot be read as JSON\. It must be a JSON object in UTF-8, /)
  expect(response).toEqual(responseTo(event, badRequest(message)))
})

test.each(['x', '🐕'])('takes a name of 1000 characters, each %s, and no longer one', async (character) => {
  const fits = created(JSON.stringify({ name: character.repeat(1000), categoryId: 7 }))
  const tooLong = created(JSON.stringify({ name: character.repeat(1001), categoryId: 7 }))

  const responses = [await call(fits), await call(tooLong)]

  const body = { id: expect.any(Number), name: character.repeat(1000), categoryId: 7 }
  const message = 'name must be a string of 1 to 1000 characters, not only white space, in valid Unicode.'
  expect(responses).toEqual([
    responseTo(fits, { status: 201, headers: { Location: expect.stringMatching(/^\/v1\/pets\/\d+$/) }, body }),
    responseTo(tooLong, badRequest(message)),
  ])
})
