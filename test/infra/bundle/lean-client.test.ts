import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import * as sdkClient from '@aws-sdk/client-dynamodb'
import * as sdkLib from '@aws-sdk/lib-dynamodb'
import { beforeAll, beforeEach, expect, test, vi } from 'vitest'
import * as client from '../../../infra/bundle/lean-client/client-dynamodb.ts'
import * as lib from '../../../infra/bundle/lean-client/lib-dynamodb.ts'
import { exampleCredentials } from '../../support/secrets.ts'

// The requests that the server received in place of DynamoDB, and its response.
let requests: { headers: IncomingMessage['headers']; body: unknown }[]
let response: { status: number; body: string; headers?: Record<string, string> }

const server = createServer(async (incoming, outgoing) => {
  requests.push({ headers: incoming.headers, body: JSON.parse(await text(incoming)) })
  outgoing.writeHead(response.status, { 'x-amzn-requestid': 'R1', ...response.headers }).end(response.body)
})

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo // Not the name of a pipe.
  vi.stubEnv('AWS_ENDPOINT_URL_DYNAMODB', `http://127.0.0.1:${port}`)
  vi.stubEnv('AWS_REGION', 'eu-central-1')
  for (const [name, value] of Object.entries(exampleCredentials)) vi.stubEnv(name, value)
  return () => {
    vi.unstubAllEnvs()
    server.close().closeAllConnections()
  }
})

beforeEach(() => {
  requests = []
  response = { status: 200, body: '{}' }
})

const configuration = { maxAttempts: 1, requestHandler: {} }
// Each client gets its own, because the SDK's client changes it.
const translation = () => ({ marshallOptions: { removeUndefinedValues: true } })

const lean = {
  ...lib,
  client: lib.DynamoDBDocumentClient.from(new client.DynamoDBClient(configuration), translation()),
}
// A cast, because the SDK's types are narrower than one table of cases for both clients.
const sdk = {
  ...sdkLib,
  client: sdkLib.DynamoDBDocumentClient.from(new sdkClient.DynamoDBClient(configuration), translation()),
} as unknown as typeof lean

/** The output or the error of a command, sent with the SDK and with the lean client. */
const sendBoth = async (name: 'GetCommand' | 'PutCommand' | 'QueryCommand', input: Record<string, unknown>) => {
  const outcome = ({ client, [name]: Command }: typeof lean) =>
    client.send(new Command(structuredClone(input)), {}).catch((error) => error)
  return { ofSdk: await outcome(sdk), ofLean: await outcome(lean) }
}

const item = {
  id: 1,
  categoryId: 9223372036854775807n,
  name: 'Zoë 🐈',
  status: undefined,
  nested: { list: [1, 'a', true, null, { deep: -5.5 }], none: undefined },
}
const query = {
  TableName: 'Pets',
  IndexName: 'byStatus',
  KeyConditionExpression: 'statusShard = :shard',
  ExpressionAttributeValues: { ':shard': 'sold#0', ':before': undefined },
  ExclusiveStartKey: { id: 7, statusShard: 'sold#0' },
  ScanIndexForward: false,
  Limit: 21,
}
const conditions = { ConditionExpression: 'id = :id', ExpressionAttributeValues: { ':id': 1 } }

test.each([
  ['GetCommand', { TableName: 'Pets', Key: { id: 9007199254740993n }, ConsistentRead: true }],
  ['PutCommand', { TableName: 'Pets', Item: item, ConditionExpression: 'attribute_not_exists(id)' }],
  ['PutCommand', { TableName: 'Keys', Item: item, ...conditions }],
  ['QueryCommand', query],
] as const)('sends the same request as the SDK: %s', async (name, input) => {
  await sendBoth(name, input)

  const [bySdk, byLean] = requests.map(({ headers, body }) => ({
    target: headers['x-amz-target'],
    type: headers['content-type'],
    length: headers['content-length'],
    attempt: headers['amz-sdk-request'],
    body,
  }))
  expect(byLean).toEqual(bySdk)
  expect(byLean?.body).toMatchObject({ TableName: input.TableName })
})

const attributes = { id: { N: '9007199254740993' }, name: { S: 'Rex' }, on: { BOOL: true }, no: { NULL: true } }
const nested = { id: { N: '1' }, tags: { L: [{ S: 'a' }, { M: { b: { N: '1.5' } } }] } }

test.each([
  ['GetCommand', 'an item', { Item: attributes }],
  ['GetCommand', 'no item', {}],
  ['QueryCommand', 'items', { Items: [{ id: { N: '2' } }, nested], Count: 2 }],
  ['QueryCommand', 'a next page', { Items: [], LastEvaluatedKey: { id: { N: '2' }, statusShard: { S: 'sold#0' } } }],
  ['PutCommand', 'attributes', { Attributes: { id: { N: '-1' } } }],
] as const)('returns the same output as the SDK: %s, %s', async (name, _, body) => {
  response.body = JSON.stringify(body)

  const { ofSdk, ofLean } = await sendBoth(name, { TableName: 'Pets' })

  expect({ ...ofLean, $metadata: {} }).toEqual({ ...ofSdk, $metadata: {} })
  expect(Object.keys(ofLean)).toEqual(expect.arrayContaining(Object.keys(body)))
})

const DYNAMODB = 'com.amazonaws.dynamodb.v20120810'
const get = { TableName: 'Pets', Key: { id: 1 } }

test.each([
  ['a failed condition', 400, { __type: `${DYNAMODB}#ConditionalCheckFailedException`, message: 'no' }],
  ['throttling', 400, { __type: `${DYNAMODB}#ProvisionedThroughputExceededException`, message: 'slow' }],
  ['an invalid request', 400, { __type: 'com.amazon.coral.validate#ValidationException', message: 'wrong' }],
  ['a missing right', 400, { __type: 'com.amazon.coral.service#AccessDeniedException', Message: 'no right' }],
  ['a server error', 500, { __type: `${DYNAMODB}#InternalServerError`, message: 'oops' }],
])('throws the same error as the SDK: %s', async (_, status, body) => {
  response = { status, body: JSON.stringify(body) }

  const { ofSdk, ofLean } = await sendBoth('GetCommand', get)

  const { name, message, $fault, $metadata } = ofSdk
  const { httpStatusCode, requestId, attempts } = $metadata
  expect(ofLean).toMatchObject({ name, message, $fault, $metadata: { httpStatusCode, requestId, attempts } })
  expect(ofSdk).toBeInstanceOf(sdkClient.DynamoDBServiceException)
  expect(ofLean).toBeInstanceOf(client.DynamoDBServiceException)
  expect(ofLean instanceof client.ConditionalCheckFailedException).toBe(
    ofSdk instanceof sdkClient.ConditionalCheckFailedException,
  )
})

test.each([
  ['HTML with status 503', 503, '<html>', true],
  ['HTML with status 403', 403, '<html>', true],
  ['HTML with status 200', 200, '<html>', true],
  // The SDK throws an error for only some of these.
  ['an error without a name', 400, '{}', false],
  ['an error whose name is no string', 429, '{"__type":7}', false],
  ['an error without a body', 404, '', false],
  ['no body', 200, '', false],
  ['a body that is cut', 200, '{"Item":{"id":{"N":"1', false],
  ['part of a body', 206, '{"Item":{"id":{"N":"1"}}}', false],
])('throws a network error for a response that is not from DynamoDB: %s', async (_, status, body, asTheSdk) => {
  response = { status, body }

  const { ofSdk, ofLean } = await sendBoth('GetCommand', get)

  expect(ofLean).toBeInstanceOf(Error)
  expect(ofLean.$metadata).toMatchObject({ attempts: 1 })
  expect(ofLean).not.toBeInstanceOf(client.DynamoDBServiceException)
  if (!asTheSdk) return
  expect(ofSdk.$metadata).toMatchObject({ attempts: 1 })
  expect(ofSdk).not.toBeInstanceOf(sdkClient.DynamoDBServiceException)
})

const retrying = lib.DynamoDBDocumentClient.from(
  new client.DynamoDBClient({ ...configuration, maxAttempts: 2 }),
  translation(),
)

test.each<[string, Record<string, string>, number, number]>([
  ['at most 25 ms', {}, 0, 25],
  ['as long as the response says', { 'x-amz-retry-after': '100' }, 26, 100],
])('pauses before a retry: %s', async (_, headers, least, most) => {
  response = { status: 503, body: '', headers }

  const error = await retrying.send(new lib.GetCommand(get), {}).catch((error) => error)

  expect(requests.map(({ headers }) => headers['amz-sdk-request'])).toEqual(['attempt=1; max=2', 'attempt=2; max=2'])
  expect(error.$metadata).toMatchObject({ httpStatusCode: 503, attempts: 2 })
  expect(error.$metadata.totalRetryDelay).toBeGreaterThanOrEqual(least)
  expect(error.$metadata.totalRetryDelay).toBeLessThanOrEqual(most)
})

test('ends the pause before a retry when the signal aborts', async () => {
  response = { status: 503, body: '', headers: { 'x-amz-retry-after': '5000' } }
  const started = performance.now()

  const sent = retrying.send(new lib.GetCommand(get), { abortSignal: AbortSignal.timeout(50) })

  await expect(sent).rejects.toMatchObject({ name: 'AbortError' })
  expect(performance.now() - started).toBeLessThan(4000)
})
