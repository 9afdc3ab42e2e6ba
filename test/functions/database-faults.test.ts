import { afterEach, expect, test } from 'vitest'
import { always } from '../shared/data/faulty-database.ts'
import { answers } from '../support/fault-proxy.ts'
import { call, error, fixture } from './call.ts'

afterEach(() => always('pass'))

// That neither an answer nor a log holds what the error holds, every test sees to.
test.each([
  ['throttling', 503],
  ['throughputExceeded', 503],
  ['internalServerError', 503],
  ['html', 503],
  ['malformed', 503],
  ['accessDenied', 500],
] as const)('while DynamoDB answers with %s, each operation answers %d', async (fault, status) => {
  const names = ['listPets-no-parameters', 'createPet-created', 'getPet-found', 'listPets-unknown-key']
  await call(fixture('listPets-no-parameters')) // From here on, the key is remembered.
  always(answers[fault])

  const responses = await Promise.all(names.map((name) => call(fixture(name))))

  expect(responses.map((response) => response.status)).toEqual(names.map(() => status))
  expect(error.mock.calls.slice(-names.length).map(([, , logged]) => logged)).toEqual(names.map(() => status))
})
