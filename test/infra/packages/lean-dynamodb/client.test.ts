import { deepStrictEqual } from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import http from 'node:http'
import * as sdkClient from '@aws-sdk/client-dynamodb'
import { convertToAttr } from '@aws-sdk/util-dynamodb'
import { beforeEach, expect, test, vi } from 'vitest'
import { type Fate, serveFake } from '../../../support/fake-api.ts'
import { type Configured, client, leanSender, type Name, sdkSender } from './senders.ts'

beforeEach(() => {
  vi.stubEnv('AWS_ENDPOINT_URL', undefined)
  vi.stubEnv('AWS_REGION', 'eu-central-1')
  return () => {
    vi.unstubAllEnvs()
    vi.restoreAllMocks()
  }
})

/** Senders of both clients to a server in place of DynamoDB, and the requests that it receives. */
const clientsOf = async (fate: Parameters<typeof serveFake>[0], ...options: Configured) => {
  const { baseUrl, requests } = await serveFake(fate)
  vi.stubEnv('AWS_ENDPOINT_URL_DYNAMODB', new URL(baseUrl).origin)
  return { lean: leanSender(...options), sdk: sdkSender(...options), requests }
}

const Key = { id: 1 }
const get = { TableName: 'pets', Key }

/** The output or the error of a command, sent with both clients at once, and the two requests. */
const sendBoth = async (
  { lean, sdk, requests }: Awaited<ReturnType<typeof clientsOf>>,
  name: Name = 'GetCommand',
  input: object = get,
) => {
  const [ofSdk, ofLean] = await Promise.all(
    [sdk, lean].map((send) => send(name, input).catch((error) => error)),
  )
  const [one, other] = requests.map(({ headers, body }) => ({
    target: headers['x-amz-target'],
    type: headers['content-type'],
    length: headers['content-length'],
    body: JSON.parse(body),
  }))
  return { ofSdk, ofLean, one, other }
}

const rex = { id: 1, name: 'Rex', size: undefined }
const stored = { id: { N: '1' }, name: { S: 'Rex' } }
const write = { TableName: 'pets', ExpressionAttributeValues: { ':a': 'a' } }

test.each<[Name, input: Record<string, unknown>, output: object]>([
  ['GetCommand', { ...get, ConsistentRead: true }, { Item: stored }],
  ['GetCommand', get, {}],
  [
    'QueryCommand',
    { ...write, IndexName: 'newest', Limit: 21, ExclusiveStartKey: Key },
    { Items: [stored, stored], LastEvaluatedKey: stored, Count: 2 },
  ],
  [
    'TransactGetCommand',
    { TransactItems: [{ Get: get }, { Get: get }] },
    { Responses: [{ Item: stored }, {}] },
  ],
  [
    'TransactWriteCommand',
    {
      ClientRequestToken: 'a',
      TransactItems: [
        { Put: { ...write, Item: rex } },
        { Update: { ...write, Key } },
        { Delete: { ...write, Key } },
        { ConditionCheck: { ...write, Key } },
      ],
    },
    { ConsumedCapacity: [{ CapacityUnits: 8 }] },
  ],
])('sends a %s and reads the response as the SDK does: %o', async (name, input, output) => {
  const clients = await clientsOf({ status: 200, body: JSON.stringify(output) })

  const { ofSdk, ofLean, one, other } = await sendBoth(clients, name, input)

  expect(one).toEqual(other)
  const { $metadata, ...expected } = ofSdk
  expect(ofLean).toEqual(expected)
})

const bytes = Uint8Array.of(0, 255)
const scalars = ['', 'Žofie', 0.5, 2 ** 53 - 1, 2n ** 63n, true, null, bytes]
const sets = [['a'], [1], [2n], [bytes]].map((each) => new Set<unknown>(each))
const values = [...scalars, ...sets]
// They are also the names of kinds.
const named = { B: 'a', BS: ['a'] }
const maps = [named, { B: bytes, BS: new Set([bytes]), none: undefined }]

// The SDK refuses a map with the key `constructor`, but not an item.
test.each(Object.entries({ ...values, ...named, values, maps, constructor: 'a' }))(
  'converts an attribute %s as the SDK does: %o',
  async (name, value) => {
    const attribute = convertToAttr(value, { removeUndefinedValues: true })
    // DynamoDB writes binary values in Base64.
    const body = JSON.stringify({ Attributes: { [name]: attribute } }, (_, part) =>
      part instanceof Uint8Array ? Buffer.from(part).toString('base64') : part,
    )
    const put = { TableName: 'pets', Item: { [name]: value } }

    const { ofSdk, ofLean, one, other } = await sendBoth(
      await clientsOf({ status: 200, body }),
      'PutCommand',
      put,
    )

    expect(one).toEqual(other)
    // Not `toStrictEqual`, which takes an attribute `constructor` for the type of an object.
    deepStrictEqual({ ...ofLean, $metadata: ofSdk.$metadata }, ofSdk)
  },
)

const notSupported = (what: string) =>
  new Error(`The lean DynamoDB client does not support ${what}. Bundle the SDK's client instead.`)

test.each<[string, Name, object]>([
  [
    'the parameter ReturnItemCollectionMetrics',
    'TransactWriteCommand',
    { ReturnItemCollectionMetrics: 'SIZE' },
  ],
  [
    'the parameter ReturnValuesOnConditionCheckFailure',
    'TransactWriteCommand',
    { TransactItems: [{ Put: { ReturnValuesOnConditionCheckFailure: 'ALL_OLD' } }] },
  ],
])('refuses %s, and does not take it for a network error: %s', async (what, name, input) => {
  const { lean, requests } = await clientsOf({ status: 200, body: '{}' })

  const sent = lean(name, { TableName: 'pets', ...input })

  await expect(sent).rejects.toThrow(notSupported(what))
  await expect(sent).rejects.not.toHaveProperty('$metadata')
  expect(requests).toEqual([])
})

const respond = (status: number, body = '', headers: Record<string, string> = {}): Fate => ({
  status,
  headers: { 'x-amzn-requestid': 'R1', ...headers },
  body,
})
const fail = (name: string, content: object = { message: 'no' }) =>
  respond(400, JSON.stringify({ __type: `com.amazonaws.dynamodb.v20120810#${name}`, ...content }))
const incomplete = respond(200, '{', { 'Content-Length': '2' })
const classes = [
  [sdkClient.DynamoDBServiceException, client.DynamoDBServiceException],
  [sdkClient.TransactionCanceledException, client.TransactionCanceledException],
] as const
const canceled = {
  Message: 'a',
  CancellationReasons: [{ Code: 'None' }, { Code: 'ConditionalCheckFailed', Message: 'b' }],
}

// The SDK does not export the names that its retries know. (DynamoDB's own errors are exported.)
const classification =
  'node_modules/@smithy/core/dist-es/submodules/retry/service-error-classification/constants.js'
// Without names, `...known` throws.
const known = readFileSync(classification, 'utf8').match(/(?<=")\w+(?=")/g) as string[]
const ofDynamoDB = Object.keys(sdkClient).filter((name) => /(?<!Service)Exception$/.test(name))

test.each<[string, Fate, limit?: number]>([
  ...Array.from(new Set([...known, ...ofDynamoDB]), (name): [string, Fate] => [name, fail(name)]),
  ['a canceled transaction', fail('TransactionCanceledException', canceled)],
  ['throttling with an address', respond(400, '{"__type":"ThrottlingException:http://a.b/#c,d"}')],
  ['throttling by a code', respond(400, '{"code":"a#ThrottlingException"}')],
  ['throttling by a header', respond(400, '', { 'x-amzn-errortype': 'ThrottlingException,b' })],
  ['throttling by a status', respond(429, '{"__type":7}')],
  ['an error without a body', respond(413)],
  ['a missing permission', respond(400, '{"__type":"a#AccessDeniedException","Message":"no"}')],
  ['an expired signature', fail('InvalidSignatureException', { message: 'Signature expired: a' })],
  ['a server error', respond(500, '{"__type":"InternalServerError","message":"oops"}')],
  ['a server error without a retry', respond(501)],
  ['HTML with status 200', respond(200, '<html>')],
  ['a broken connection', 'cut'],
  ['a switched protocol', respond(101, '', { Upgrade: 'a', Connection: 'upgrade' }), 200],
  ['no response in time', 'silence', 200],
  ['half a response in time', incomplete, 200],
])('sends a request as often as the SDK, and throws the same error: %s', async (_, fate, limit) => {
  // Pauses of 20 and 40 ms when throttled, and of 0 and 1 ms otherwise.
  vi.spyOn(Math, 'random').mockReturnValue(0.02)

  const { ofSdk, ofLean } = await sendBoth(await clientsOf(fate, 3, limit))

  const { name, message, $fault, $metadata, CancellationReasons } = ofSdk
  const { httpStatusCode, requestId, attempts, totalRetryDelay } = $metadata
  expect(ofLean).toBeInstanceOf(Error)
  expect(ofLean.$metadata).toMatchObject({ attempts, totalRetryDelay })
  for (const [SdkError, LeanError] of classes)
    expect(ofLean instanceof LeanError).toBe(ofSdk instanceof SdkError)
  expect(ofLean.CancellationReasons).toEqual(CancellationReasons)
  const ofService = { name, message, $fault, $metadata: { httpStatusCode, requestId } }
  if (ofSdk instanceof sdkClient.DynamoDBServiceException) expect(ofLean).toMatchObject(ofService)
})

test('sends a new token with each transaction, and the same one in all resends', async () => {
  const { lean, requests } = await clientsOf(respond(500), 2)

  for (const _ of ['first', 'second']) {
    const sent = lean('TransactWriteCommand', { TransactItems: [] })
    await expect(sent).rejects.toThrow()
  }

  const tokens = requests.map(({ body }): string => JSON.parse(body).ClientRequestToken)
  expect(tokens.map((each) => tokens.indexOf(each))).toEqual([0, 0, 2, 2])
  for (const each of tokens) expect(each).toMatch(/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/)
})

// The SDK throws no error for the first two, and reads the last one to its end.
test.each<[string, Fate]>([
  ['no body', respond(200)],
  ['a body that is cut', respond(200, '{"Item":{"id":{"N":"1')],
  ['a body that is too long to be from DynamoDB', respond(200, `{}${' '.repeat(2 ** 24)}`)],
])('throws a network error for %s', async (_, fate) => {
  const { lean } = await clientsOf(fate)

  const error = await lean('GetCommand', get).catch((error) => error)

  expect(error).toMatchObject({ $metadata: { attempts: 1 } })
  expect(error).not.toBeInstanceOf(client.DynamoDBServiceException)
})

test('stops retrying in an outage when the SDK does, and starts again when it does', async () => {
  vi.spyOn(Math, 'random').mockReturnValue(0) // No pauses.
  const response = { status: 0, body: '{}' }
  const clients = await clientsOf(response, 3)
  const [sdk, lean]: number[][] = [[], []]
  const [calm, outage, end] = [Array(20).fill(200), Array(20).fill(500), Array(4).fill(200)]
  for (const status of [...calm, ...outage, ...end, 500]) {
    response.status = status
    const { ofSdk, ofLean } = await sendBoth(clients)
    sdk?.push(ofSdk.$metadata.attempts)
    lean?.push(ofLean.$metadata?.attempts ?? 1) // Only its errors have metadata.
  }

  expect(lean).toEqual([...Array(20).fill(1), ...Array(17).fill(3), 2, 1, 1, 1, 1, 1, 1, 2])
  expect(sdk).toEqual(lean)
})

test('a retry that succeeds costs nothing of what ends retries in an outage', async () => {
  vi.spyOn(Math, 'random').mockReturnValue(0) // No pauses.
  let sent = 0
  const failFirst = async () => ({ status: sent++ % 2 === 0 ? 500 : 200, body: '{}' })
  const { lean, requests } = await clientsOf(failFirst, 2)

  for (let i = 0; i < 40; i++) await lean('GetCommand', get)

  expect(requests).toHaveLength(40 * 2)
})

test.each<[string, Fate, attempts: number]>([
  ['a request', 'silence', 1],
  ['a response', incomplete, 1],
  ['the pause before a retry', respond(503), 2],
])('ends %s when the signal aborts', async (_, fate, attempts) => {
  vi.spyOn(Math, 'random').mockReturnValue(1e6) // A pause of hours.
  const { lean } = await clientsOf(fate, attempts)

  const sent = lean('GetCommand', get, { abortSignal: AbortSignal.timeout(200) })

  await expect(sent).rejects.toMatchObject({ name: 'AbortError' })
})

test('reuses its connection', async () => {
  const { lean, requests } = await clientsOf({ status: 200, body: '{}' })
  const connect = vi.spyOn(http.Agent.prototype, 'createConnection')

  for (let i = 0; i < 3; i++) await lean('GetCommand', get)

  expect(requests).toHaveLength(3)
  expect(connect).toHaveBeenCalledOnce()
})
