import '../support/database.ts'
import { expect, test } from 'vitest'
import { call, error, fixture, info } from './call.ts'

const line = (requestId: string, operation: string, status: number, coldStart = false) => ({
  requestId,
  operation,
  version: '$LATEST',
  status,
  milliseconds: expect.any(Number),
  coldStart,
})
const local = { keyId: 'local', clientId: 'local' }

test('logs one line a request, with these fields only: never a key, a header or a body', async () => {
  const names = ['createPet-created', 'createPet-every-field-wrong', 'getPet-unknown-id', 'listPets-unknown-key']

  for (const name of names) await call(fixture(name))

  const lines = info.mock.calls
  expect(lines).toEqual([
    [{ ...line('0JEqJbDazu-fNK8=', 'createPet', 201, true), ...local }],
    [{ ...line('A6f2Gg_O3YtiWRw=', 'createPet', 400), ...local, code: 'bad_request' }],
    [{ ...line('w6GbBpOEmrrclnE=', 'getPet', 404), ...local, code: 'not_found' }],
    [{ ...line('DsV-oEhrkepnJSE=', 'listPets', 401), code: 'unauthorized' }],
  ])
  expect(JSON.stringify(lines)).not.toMatch(/pet_local|Rex|Bearer/)
  expect(error).not.toHaveBeenCalled()
})

test('answers with the id that it logs, the one that a client cannot choose', async () => {
  const event = fixture('listPets-no-parameters')

  const { headers } = await call(event)

  expect(event.requestContext.requestId).not.toBe('eFs8g5b7ALNumUU=')
  expect(headers['X-Request-Id']).toBe('eFs8g5b7ALNumUU=')
  expect(info.mock.lastCall).toEqual([{ ...line('eFs8g5b7ALNumUU=', 'listPets', 200), ...local }])
})

test('answers with the other id, and logs it, where an event has only that', async () => {
  const event = fixture('listPets-no-parameters')
  event.requestContext.extendedRequestId = undefined

  const { headers } = await call(event)

  expect(headers['X-Request-Id']).toBe(event.requestContext.requestId)
  expect(info.mock.lastCall).toEqual([{ ...line(event.requestContext.requestId, 'listPets', 200), ...local }])
})
