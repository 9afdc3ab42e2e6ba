import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { contract, type OperationId } from '../../shared/contract.ts'
import type { Event } from '../../shared/http.ts'

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

test.each(readdirSync('test/events'))('%s is as API Gateway sends it', (file) => {
  const { requestContext: context, ...event }: Event = JSON.parse(readFileSync(`test/events/${file}`, 'utf8'))
  const { method, path } = contract[file.split('-')[0] as OperationId] // The name of a fixture starts with one.
  const keys = [{ ...event, requestContext: 0 }, context, context.identity].map((part) => Object.keys(part).sort())
  const host = Object.entries(event.headers).find(([header]) => header.toLowerCase() === 'host')?.[1]
  const stage = host?.includes('.execute-api.') ? '/v1' : ''
  const petId = decodeURIComponent(event.path.replace(/^(\/v1)?\/pets\/?/, ''))

  expect(keys).toEqual([EVENT, CONTEXT, IDENTITY].map((list) => list.split(' ')))
  expect(event).toMatchObject({ httpMethod: method, resource: path, stageVariables: null })
  expect(event.headers).toEqual(lastOfEach(event.multiValueHeaders))
  expect(event.queryStringParameters).toEqual(lastOfEach(event.multiValueQueryStringParameters))
  expect(event.pathParameters).toEqual(path.includes('{') ? { petId } : null)
  expect(context).toMatchObject({ httpMethod: method, resourcePath: path, domainName: host, path: stage + event.path })
})

/** The last of repeated values, as in API Gateway's maps of single values; `null` for no values. */
const lastOfEach = (lists: Record<string, string[] | undefined> | null) =>
  lists && Object.fromEntries(Object.entries(lists).map(([name, values]) => [name, values?.at(-1)]))
