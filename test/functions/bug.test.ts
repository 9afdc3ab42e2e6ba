import '../support/database.ts'
import { expect, test } from 'vitest'
import { call, error, fixture } from './call.ts'
import { deprecated, responseTo } from './responses.ts'

// A deployment gone wrong, for an example of a bug.
process.env.PETS_TABLE = 'NoSuchTable'

test.each([
  ['listPets-no-parameters', {}],
  ['createPet-created', {}],
  ['getPet-found', deprecated],
])('answers %s with a 500 that tells the caller nothing, and the log the cause', async (name, headers) => {
  const event = fixture(name)

  const response = await call(event)

  const message = 'Something went wrong on our side. Report it with the X-Request-Id.'
  const body = { code: 'internal_server_error', message, status: 500 }
  expect(response).toEqual(responseTo(event, { status: 500, headers, body }))
  expect(error.mock.lastCall).toEqual([
    'Request %s failed with status %d:',
    event.requestContext.extendedRequestId,
    500,
    expect.objectContaining({ name: 'ResourceNotFoundException' }),
  ])
})
