import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import * as sdkClient from '@aws-sdk/client-dynamodb'
import * as sdkLib from '@aws-sdk/lib-dynamodb'
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import * as client from '../../../infra/bundle/sdk/client-dynamodb.ts'
import * as lib from '../../../infra/bundle/sdk/lib-dynamodb.ts'
import { exampleCredentials } from '../../support/secrets.ts'

// What DynamoDB would be given, and what it answers.
let asked: { headers: IncomingMessage['headers']; body: unknown }[]
let answer: { status: number; body: string; headers?: Record<string, string> }

const server = createServer(async (request, response) => {
  asked.push({ headers: request.headers, body: JSON.parse(await text(request)) })
  response.writeHead(answer.status, { 'x-amzn-requestid': 'R1', ...answer.headers }).end(answer.body)
})

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo // Not the name of a pipe.
  vi.stubEnv('AWS_ENDPOINT_URL_DYNAMODB', `http://127.0.0.1:${port}`)
  vi.stubEnv('AWS_REGION', 'eu-central-1')
  for (const [name, value] of Object.entries(exampleCredentials)) vi.stubEnv(name, value)
  return () => vi.unstubAllEnvs()
})

beforeEach(() => {
  asked = []
  answer = { status: 200, body: '{}' }
})

afterAll(() => {
  server.closeAllConnections()
  server.close()
})

const configuration = { maxAttempts: 1, requestHandler: {} }
// One for each: the SDK's keeps what it is given, and changes it.
const translation = () => ({ marshallOptions: { removeUndefinedValues: true } })

const standIn = {
  ...lib,
  client: lib.DynamoDBDocumentClient.from(new client.DynamoDBClient(configuration), translation()),
}
// Of the SDK's types only those of the stand-in are of use here: one table of cases is for both.
const sdk = {
  ...sdkLib,
  client: sdkLib.DynamoDBDocumentClient.from(new sdkClient.DynamoDBClient(configuration), translation()),
} as unknown as typeof standIn

/** What comes of a command, sent by the SDK and by what stands in for it. */
const both = async (name: 'GetCommand' | 'PutCommand' | 'QueryCommand', input: Record<string, unknown>) => {
  const outcome = ({ client, [name]: Command }: typeof standIn) =>
    client.send(new Command(structuredClone(input)), {}).catch((error) => error)
  return { ofSdk: await outcome(sdk), ofStandIn: await outcome(standIn) }
}

const item = {
  id: 1,
  categoryId: 9223372036854775807n,
  name: 'Zoë 🐈',
  status: undefined,
  nested: { list: [1, 'a', true, null, { deep: -5.5 }], none: undefined },
}

test.each([
  ['GetCommand', { TableName: 'Pets', Key: { id: 9007199254740993n }, ConsistentRead: true }],
  ['PutCommand', { TableName: 'Pets', Item: item, ConditionExpression: 'attribute_not_exists(id)' }],
  [
    'PutCommand',
    { TableName: 'Keys', Item: item, ConditionExpression: 'id = :id', ExpressionAttributeValues: { ':id': 1 } },
  ],
  [
    'QueryCommand',
    {
      TableName: 'Pets',
      IndexName: 'byStatus',
      KeyConditionExpression: 'statusShard = :shard',
      ExpressionAttributeValues: { ':shard': 'sold#0', ':before': undefined },
      ExclusiveStartKey: { id: 7, statusShard: 'sold#0' },
      ScanIndexForward: false,
      Limit: 21,
    },
  ],
] as const)('asks DynamoDB what the SDK asks it: %s', async (name, input) => {
  await both(name, input)

  const [bySdk, byStandIn] = asked.map(({ headers, body }) => ({
    target: headers['x-amz-target'],
    type: headers['content-type'],
    length: headers['content-length'],
    attempt: headers['amz-sdk-request'],
    body,
  }))
  expect(byStandIn).toEqual(bySdk)
  expect(byStandIn?.body).toMatchObject({ TableName: input.TableName })
})

test.each([
  [
    'GetCommand',
    'an item',
    { Item: { id: { N: '9007199254740993' }, name: { S: 'Rex' }, on: { BOOL: true }, no: { NULL: true } } },
  ],
  ['GetCommand', 'no item', {}],
  [
    'QueryCommand',
    'items',
    {
      Items: [{ id: { N: '2' } }, { id: { N: '1' }, tags: { L: [{ S: 'a' }, { M: { b: { N: '1.5' } } }] } }],
      Count: 2,
    },
  ],
  ['QueryCommand', 'more to come', { Items: [], LastEvaluatedKey: { id: { N: '2' }, statusShard: { S: 'sold#0' } } }],
  ['PutCommand', 'attributes', { Attributes: { id: { N: '-1' } } }],
] as const)('understands what the SDK understands: %s, %s', async (name, _, body) => {
  answer.body = JSON.stringify(body)

  const { ofSdk, ofStandIn } = await both(name, { TableName: 'Pets' })

  expect({ ...ofStandIn, $metadata: {} }).toEqual({ ...ofSdk, $metadata: {} })
  expect(Object.keys(ofStandIn)).toEqual(expect.arrayContaining(Object.keys(body)))
})

test.each([
  [
    'a condition that failed',
    400,
    '{"__type":"com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException","message":"no"}',
  ],
  [
    'throttling',
    400,
    '{"__type":"com.amazonaws.dynamodb.v20120810#ProvisionedThroughputExceededException","message":"slow"}',
  ],
  ['a mistake', 400, '{"__type":"com.amazon.coral.validate#ValidationException","message":"wrong"}'],
  ['a right that is missing', 400, '{"__type":"com.amazon.coral.service#AccessDeniedException","Message":"no right"}'],
  ['a failure', 500, '{"__type":"com.amazonaws.dynamodb.v20120810#InternalServerError","message":"oops"}'],
])('calls an error what the SDK calls it: %s', async (_, status, body) => {
  answer = { status, body }

  const { ofSdk, ofStandIn } = await both('GetCommand', { TableName: 'Pets', Key: { id: 1 } })

  const { name, message, $fault, $metadata } = ofSdk
  const { httpStatusCode, requestId, attempts } = $metadata
  expect(ofStandIn).toMatchObject({ name, message, $fault, $metadata: { httpStatusCode, requestId, attempts } })
  expect(ofSdk).toBeInstanceOf(sdkClient.DynamoDBServiceException)
  expect(ofStandIn).toBeInstanceOf(client.DynamoDBServiceException)
  expect(ofStandIn instanceof client.ConditionalCheckFailedException).toBe(
    ofSdk instanceof sdkClient.ConditionalCheckFailedException,
  )
})

test.each([
  ['HTML in place of an error', 503, '<html>'],
  ['HTML that refuses', 403, '<html>'],
  ['HTML in place of an answer', 200, '<html>'],
])('blames the way to DynamoDB as the SDK does: %s', async (_, status, body) => {
  answer = { status, body }

  const { ofSdk, ofStandIn } = await both('GetCommand', { TableName: 'Pets', Key: { id: 1 } })

  expect(ofSdk.$metadata).toMatchObject({ attempts: 1 })
  expect(ofStandIn.$metadata).toMatchObject({ attempts: 1 })
  expect(ofSdk).not.toBeInstanceOf(sdkClient.DynamoDBServiceException)
  expect(ofStandIn).not.toBeInstanceOf(client.DynamoDBServiceException)
})

test.each([
  ['an error without a name', 400, '{}'],
  ['an error of another make', 429, '{"__type":7}'],
  ['an error without a body', 404, ''],
  ['an answer without a body', 200, ''],
  ['an answer that is cut', 200, '{"Item":{"id":{"N":"1'],
  ['a part of an answer', 206, '{"Item":{"id":{"N":"1"}}}'],
])('blames the way to DynamoDB where the SDK would not always: %s', async (_, status, body) => {
  answer = { status, body }

  const { ofStandIn } = await both('GetCommand', { TableName: 'Pets', Key: { id: 1 } })

  expect(ofStandIn).toBeInstanceOf(Error)
  expect(ofStandIn.$metadata).toMatchObject({ attempts: 1 })
  expect(ofStandIn).not.toBeInstanceOf(client.DynamoDBServiceException)
})

test('pauses for as long as it is told to before it tries again', async () => {
  const { DynamoDBDocumentClient, GetCommand } = standIn
  const retrying = DynamoDBDocumentClient.from(
    new client.DynamoDBClient({ ...configuration, maxAttempts: 2 }),
    translation(),
  )
  answer = { status: 503, body: '', headers: { 'x-amz-retry-after': '100' } }

  const error = await retrying.send(new GetCommand({ TableName: 'Pets', Key: { id: 1 } }), {}).catch((error) => error)

  expect(asked.map(({ headers }) => headers['amz-sdk-request'])).toEqual(['attempt=1; max=2', 'attempt=2; max=2'])
  expect(error.$metadata).toMatchObject({ httpStatusCode: 503, attempts: 2 })
  expect(error.$metadata.totalRetryDelay).toBeGreaterThan(50) // It would be 25 at most.
})
