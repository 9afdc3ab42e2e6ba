import { expect, test } from 'vitest'
import { openDatabase } from '../../infra/local/database.ts'
import { call, error, fixture } from './call.ts'
import { deprecated, responseTo, unavailable } from './responses.ts'

// The key is remembered from this call, so that later ones get as far as the pets.
const database = await openDatabase()
const before = await call(fixture('listPets-no-parameters'))
await database.close()

test.each([
  ['listPets-no-parameters', {}],
  ['createPet-created', {}],
  ['getPet-found', deprecated],
  ['listPets-unknown-key', {}],
])(
  'answers %s with 503 while DynamoDB is away: nobody can tell, not even whether the key is good',
  async (name, own) => {
    const event = fixture(name)

    const response = await call(event)

    expect(before.status).toBe(200)
    expect(response).toEqual(responseTo(event, { ...unavailable, headers: { ...unavailable.headers, ...own } }))
    expect(error.mock.lastCall).toEqual([
      'Request %s failed with status %d:',
      event.requestContext.extendedRequestId,
      503,
      expect.objectContaining({ code: 'ECONNREFUSED' }),
    ])
  },
)
