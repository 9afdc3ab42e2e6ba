import { globSync, readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { contract, type OperationId } from '../../shared/contract.ts'
import type { Event } from '../../shared/http.ts'
import { eventOf } from '../support/events.ts'

const names = readdirSync('test/events').map((file) => file.replace(/\.json$/, ''))

// Every key that API Gateway sends for a REST API, with or without a value.
const EVENT =
  'body headers httpMethod isBase64Encoded multiValueHeaders multiValueQueryStringParameters path pathParameters ' +
  'queryStringParameters requestContext resource stageVariables'
const CONTEXT =
  'accountId apiId deploymentId domainName domainPrefix extendedRequestId httpMethod identity path protocol ' +
  'requestId requestTime requestTimeEpoch resourceId resourcePath stage'
const IDENTITY =
  'accessKey accountId caller cognitoAuthenticationProvider cognitoAuthenticationType cognitoIdentityId ' +
  'cognitoIdentityPoolId principalOrgId sourceIp user userAgent userArn'
const ADDED_HEADERS = ['host', 'x-amzn-trace-id', 'x-forwarded-for', 'x-forwarded-port', 'x-forwarded-proto']

const events: [string, Event][] = [
  ...names.map((name): [string, Event] => [name, eventOf(name)]),
  ['updatePet-changed with another id', eventOf('updatePet-changed', { petId: '1 %' })],
  ['listPets-first-page without parameters', eventOf('listPets-first-page', { query: { limit: undefined } })],
  ['listPets-no-parameters with two limits', eventOf('listPets-no-parameters', { query: { limit: ['2', '3'] } })],
  ['createPet-created with two keys', eventOf('createPet-created', { headers: { 'Idempotency-Key': ['a', 'b'] } })],
]

test.each(events)('%s has the keys and headers that API Gateway sends, and no other keys', (_, event) => {
  const keys = [event, event.requestContext, event.requestContext.identity].map((part) => Object.keys(part).sort())

  expect(keys).toEqual([EVENT, CONTEXT, IDENTITY].map((list) => list.split(' ')))
  expect(Object.keys(event.headers).map((header) => header.toLowerCase())).toEqual(
    expect.arrayContaining(ADDED_HEADERS),
  )
})

test.each(events)('%s is consistent', (name, { requestContext: context, ...event }) => {
  const host = Object.entries(event.headers).find(([header]) => header.toLowerCase() === 'host')?.[1]
  const onExecuteApi = host?.endsWith('.execute-api.eu-central-1.amazonaws.com')
  const petId = decodeURIComponent(event.path.replace(/^(\/v1)?\/pets\/?/, ''))

  const { method, path } = contract[name.split('-')[0] as OperationId] // The name of a fixture starts with one.
  expect({ method, path }).toEqual({ method: event.httpMethod, path: event.resource })
  expect(event.headers).toEqual(lastOfEach(event.multiValueHeaders))
  expect(event.queryStringParameters).toEqual(lastOfEach(event.multiValueQueryStringParameters))
  expect(event.pathParameters).toEqual(event.resource === '/pets' ? null : { petId })
  expect(event.stageVariables).toBeNull()
  expect(Object.values(event)).not.toContainEqual({})
  expect(context).toMatchObject({ httpMethod: event.httpMethod, resourcePath: event.resource, domainName: host })
  expect(context.path).toBe(onExecuteApi ? `/v1${event.path}` : event.path)
  expect(Date.parse(context.requestTime?.replace(':', ' ') ?? '')).toBe(
    Math.floor(context.requestTimeEpoch / 1000) * 1000,
  )
})

test('each fixture is used by a test', () => {
  const tests = globSync('test/**/*.test.ts').map((file) => readFileSync(file, 'utf8'))

  expect(names.filter((name) => !tests.some((text) => text.includes(`'${name}'`)))).toEqual([])
})

/** The last of repeated values, as in API Gateway's maps of single values; `null` for no values. */
const lastOfEach = (lists: Record<string, string[] | undefined> | null) => {
  const entries = Object.entries(lists ?? {})
  return entries.length > 0 ? Object.fromEntries(entries.map(([key, values]) => [key, values?.at(-1)])) : null
}
