import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { fixture } from './call.ts'

const names = readdirSync(new URL('../events/', import.meta.url)).map((file) => file.replace(/\.json$/, ''))

// What API Gateway sends a function for a REST API: all of it, always.
const EVENT =
  'body headers httpMethod isBase64Encoded multiValueHeaders multiValueQueryStringParameters path pathParameters ' +
  'queryStringParameters requestContext resource stageVariables'
const CONTEXT =
  'accountId apiId deploymentId domainName domainPrefix extendedRequestId httpMethod identity path protocol ' +
  'requestId requestTime requestTimeEpoch resourceId resourcePath stage'
const IDENTITY =
  'accessKey accountId caller cognitoAuthenticationProvider cognitoAuthenticationType cognitoIdentityId ' +
  'cognitoIdentityPoolId principalOrgId sourceIp user userAgent userArn'
const ADDED = ['host', 'x-amzn-trace-id', 'x-forwarded-for', 'x-forwarded-port', 'x-forwarded-proto']

const routes = { listPets: 'GET /pets', createPet: 'POST /pets', getPet: 'GET /pets/{petId}' }

test.each(names)('%s has every key that API Gateway sends, no other, and the headers that it adds', (name) => {
  const event = fixture(name)

  const keys = [event, event.requestContext, event.requestContext.identity].map((part) => Object.keys(part).sort())

  expect(keys).toEqual([EVENT, CONTEXT, IDENTITY].map((list) => list.split(' ')))
  expect(Object.keys(event.headers).map((header) => header.toLowerCase())).toEqual(expect.arrayContaining(ADDED))
})

test.each(names)('%s agrees with itself', (name) => {
  const { requestContext: context, ...event } = fixture(name)

  const host = Object.entries(event.headers).find(([header]) => header.toLowerCase() === 'host')?.[1]
  const onExecuteApi = host?.endsWith('.execute-api.eu-central-1.amazonaws.com')
  const petId = decodeURIComponent(event.path.replace(/^(\/v1)?\/pets\/?/, ''))

  expect(routes[name.split('-')[0] as keyof typeof routes]).toBe(`${event.httpMethod} ${event.resource}`)
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

test('no two fixtures are the same request', () => {
  const ids = names.map((name) => fixture(name).requestContext.extendedRequestId)

  expect(new Set(ids).size).toBe(names.length)
})

test('every fixture is tried by a test', () => {
  const folder = new URL('.', import.meta.url)
  const tests = readdirSync(folder).map((file) => readFileSync(new URL(file, folder), 'utf8'))

  const unused = names.filter((name) => !tests.some((text) => text.includes(`'${name}'`)))

  expect(unused).toEqual([])
})

/** As API Gateway does: the last value of each, and no map at all where there are none. */
const lastOfEach = (lists: Record<string, string[] | undefined> | null) => {
  const entries = Object.entries(lists ?? {})
  return entries.length > 0 ? Object.fromEntries(entries.map(([key, values]) => [key, values?.at(-1)])) : null
}
