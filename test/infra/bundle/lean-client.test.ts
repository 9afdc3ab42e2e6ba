import { deepStrictEqual } from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import * as sdkClient from '@aws-sdk/client-dynamodb'
import * as sdkLib from '@aws-sdk/lib-dynamodb'
import { convertToAttr } from '@aws-sdk/util-dynamodb'
import fc from 'fast-check'
import { beforeEach, expect, test, vi } from 'vitest'
import * as client from '../../../infra/bundle/lean-client/client-dynamodb.ts'
import { notSupported } from '../../../infra/bundle/lean-client/environment.ts'
import * as lib from '../../../infra/bundle/lean-client/lib-dynamodb.ts'
import { type Fate, serve } from '../../support/fake-api.ts'

beforeEach(() => {
  vi.stubEnv('AWS_ENDPOINT_URL', undefined)
  vi.stubEnv('AWS_REGION', 'eu-central-1')
  return () => {
    vi.unstubAllEnvs()
    vi.restoreAllMocks()
  }
})

const configuration = (maxAttempts = 1, limit = 60_000) => ({
  maxAttempts,
  requestHandler: {
    connectionTimeout: 60_000,
    requestTimeout: limit,
    socketTimeout: limit,
    throwOnRequestTimeout: true,
  },
})
// Each client gets its own, because the SDK's client changes it.
const translation = () => ({ marshallOptions: { removeUndefinedValues: true } })

type Lean = typeof lib & { client: ReturnType<typeof lib.DynamoDBDocumentClient.from> }

/** Two clients of a server in place of DynamoDB, and the requests that it receives. */
const clientsOf = async (fate: Fate, ...options: Parameters<typeof configuration>) => {
  const { baseUrl, requests } = await serve(fate)
  vi.stubEnv('AWS_ENDPOINT_URL_DYNAMODB', new URL(baseUrl).origin)
  const newLean = new client.DynamoDBClient(configuration(...options))
  const newSdk = new sdkClient.DynamoDBClient(configuration(...options))
  return {
    lean: { ...lib, client: lib.DynamoDBDocumentClient.from(newLean, translation()) },
    // A cast, because the SDK's types are narrower than one table of cases for both clients.
    sdk: {
      ...sdkLib,
      client: sdkLib.DynamoDBDocumentClient.from(newSdk, translation()),
    } as unknown as Lean,
    requests,
  }
}
type Clients = Awaited<ReturnType<typeof clientsOf>>

// The SDK refuses a map with the key `constructor`, but not an item with such an attribute.
const key = fc.string().filter((name) => name !== '__proto__' && name !== 'constructor')
const double = fc.double({ min: -1e9, max: 1e9, noNaN: true })
const scalars: fc.Arbitrary<unknown>[] = [
  fc.string({ unit: 'binary' }),
  fc.maxSafeInteger(),
  double,
  fc.bigInt(),
]
const sets = scalars.map((each) =>
  fc.array(each, { minLength: 1, maxLength: 3 }).map((all) => new Set(all)),
)
const maps = scalars.map((each) =>
  fc.array(fc.tuple(key, each), { maxLength: 3 }).map((all) => new Map(all)),
)
const values = [
  ...scalars,
  ...sets,
  ...maps,
  fc.constantFrom(null, true, false, '', -0, 2 ** 53 - 1),
]
const value = fc.anything({ key, values, maxDepth: 2, maxKeys: 3 })
const others = fc.constantFrom(
  undefined,
  { a: undefined },
  Number.NaN,
  2 ** 53,
  new Set(),
  new Date(),
)
const itemOf = (each: fc.Arbitrary<unknown>) =>
  fc.dictionary(fc.oneof(key, fc.constantFrom('constructor', 'B', 'BS')), each, {
    maxKeys: 4,
    noNullPrototype: true,
  })
const sent = itemOf(fc.oneof({ arbitrary: value, weight: 9 }, others))
// The cast: the type of `convertToAttr` has no `unknown`. To the SDK, null is no item.
const received = fc.option(itemOf(value.map((each) => convertToAttr(each as string))), { freq: 9 })
const some = (fields: Record<string, fc.Arbitrary<unknown>>) =>
  fc.record(fields, { requiredKeys: [] })

const place = { TableName: 'Toys', ExpressionAttributeNames: { '#a': 'a' } }
const condition = { ...place, ConditionExpression: '#a = :b' }
const selection = { ...place, ConsistentRead: true, ReturnConsumedCapacity: 'TOTAL' }
const query = { ...selection, IndexName: 'byColor', Limit: 21, KeyConditionExpression: '#a = :b' }
const ofKey = some({ Key: sent, ExpressionAttributeValues: sent })
const ofItem = some({ Item: sent, ExpressionAttributeValues: sent })
const action = (name: string, parameters: object, items: fc.Arbitrary<object>) =>
  items.map((given) => ({ [name]: { ...parameters, ...given } }))
const writes = [
  action('Put', condition, ofItem),
  action('Update', { ...condition, UpdateExpression: 'REMOVE #a' }, ofKey),
  action('Delete', condition, ofKey),
  action('ConditionCheck', condition, ofKey),
]

/** Each command: its parameters except those that hold items; those; and what its output holds. */
const commands = {
  GetCommand: [selection, some({ Key: sent }), some({ Item: received })],
  PutCommand: [{ ...condition, ReturnValues: 'ALL_OLD' }, ofItem, some({ Attributes: received })],
  QueryCommand: [
    query,
    some({ ExclusiveStartKey: sent, ExpressionAttributeValues: sent }),
    some({ LastEvaluatedKey: received, Items: fc.array(received) }),
  ],
  TransactGetCommand: [
    { ReturnConsumedCapacity: 'TOTAL' },
    some({ TransactItems: fc.array(action('Get', place, some({ Key: sent }))) }),
    some({ Responses: fc.array(some({ Item: received })) }),
  ],
  TransactWriteCommand: [
    { ReturnConsumedCapacity: 'TOTAL', ClientRequestToken: 'a' },
    some({ TransactItems: fc.array(fc.oneof(...writes), { maxLength: 4 }) }),
    fc.constant({}),
  ],
} satisfies Record<
  string,
  [parameters: object, input: fc.Arbitrary<object>, output: fc.Arbitrary<object>]
>
type Name = keyof typeof commands

const get = { TableName: 'Toys', Key: { id: 1 } }

/** The output or the error of a command, sent with the SDK and with the lean client. */
const sendBoth = async (
  { lean, sdk }: Clients,
  name: Name = 'GetCommand',
  input: Record<string, unknown> = get,
) => {
  const outcome = ({ client, [name]: Command }: Lean) =>
    client.send(new Command(input), {}).catch((error) => error)
  return { ofSdk: await outcome(sdk), ofLean: await outcome(lean) }
}

test.each(Object.keys(commands) as Name[])(
  'generated items are sent and received as by the SDK: %s',
  async (name) => {
    const [parameters, input, output] = commands[name]
    const response = { status: 200, body: '' }
    const clients = await clientsOf(response)

    await fc.assert(
      fc.asyncProperty(input, output, async (input, output) => {
        response.body = JSON.stringify({ ...output, ConsumedCapacity: { CapacityUnits: 0.5 } })
        const { ofSdk, ofLean } = await sendBoth(clients, name, { ...parameters, ...input })
        const [bySdk, byLean] = clients.requests.splice(0).map(({ headers, body }) => ({
          target: headers['x-amz-target'],
          type: headers['content-type'],
          length: headers['content-length'],
          body: JSON.parse(body),
        }))
        expect(byLean).toEqual(bySdk)
        if (ofSdk instanceof Error) expect(ofLean).toBeInstanceOf(Error)
        // Not `toStrictEqual`, which takes an attribute `constructor` for the type of an object.
        else deepStrictEqual({ ...ofLean, $metadata: ofSdk.$metadata }, ofSdk)
      }),
      { numRuns: 25 },
    )
  },
)

test.each<[string, object, string?]>([
  ['the parameter ReturnItemCollectionMetrics', { ReturnItemCollectionMetrics: 'SIZE' }],
  [
    'the parameter ReturnValuesOnConditionCheckFailure',
    { TransactItems: [{ Put: { ReturnValuesOnConditionCheckFailure: 'ALL_OLD' } }] },
  ],
  ['an attribute __proto__', { Item: JSON.parse('{"__proto__":{"a":1}}') }],
  ['an attribute __proto__', {}, '{"__proto__":{"M":{"a":{"N":"1"}}}}'],
  ['binary values', {}, '{"a":{"L":[{"B":"AQ=="}]}}'],
  ['binary values', {}, '{"a":{"BS":["AQ=="]}}'],
])(
  'refuses %s, in a request or a response, and does not take it for a network error',
  async (what, input, attributes) => {
    const { lean, requests } = await clientsOf({
      status: 200,
      body: `{"Attributes":${attributes}}`,
    })

    const sent = lean.client.send(new lib.PutCommand({ TableName: 'Toys', ...input }), {})

    await expect(sent).rejects.toEqual(notSupported(what))
    await expect(sent).rejects.not.toHaveProperty('$metadata')
    expect(requests).toHaveLength(attributes ? 1 : 0)
  },
)

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
const reasons = [
  { Code: 'None' },
  { Code: 'ConditionalCheckFailed', Message: 'The conditional request failed' },
]

// The SDK does not export the names that its retries know. (DynamoDB's own errors are exported.)
const classification =
  'node_modules/@smithy/core/dist-es/submodules/retry/service-error-classification/constants.js'
// Without names, `...known` throws.
const known = readFileSync(classification, 'utf8').match(/(?<=")\w+(?=")/g) as string[]
const ofDynamoDB = Object.keys(sdkClient).filter((name) => /(?<!Service)Exception$/.test(name))

test.each<[string, Fate, limit?: number]>([
  ...Array.from(new Set([...known, ...ofDynamoDB]), (name): [string, Fate] => [name, fail(name)]),
  [
    'a canceled transaction',
    fail('TransactionCanceledException', { Message: 'a', CancellationReasons: reasons }),
  ],
  [
    'throttling with an address',
    respond(400, '{"__type":"ThrottlingException:http://a.example/#b,c"}'),
  ],
  ['throttling by a code', respond(400, '{"code":"a#ThrottlingException"}')],
  ['throttling by a header', respond(400, '', { 'x-amzn-errortype': 'ThrottlingException,b' })],
  ['an error without a name', respond(400, '{}')],
  ['an error with a number for its name', respond(429, '{"__type":7}')],
  ['an error without a body', respond(413)],
  ['a redirect without a body', respond(301)],
  [
    'a missing right',
    respond(400, '{"__type":"a.service#AccessDeniedException","Message":"no right"}'),
  ],
  [
    'an expired signature',
    fail('InvalidSignatureException', { message: 'Signature expired: it is' }),
  ],
  ['a server error', respond(500, '{"__type":"InternalServerError","message":"oops"}')],
  ['a server error without a retry', respond(501)],
  ['HTML with status 200', respond(200, '<html>')],
  ['HTML with status 502', respond(502, '<html>')],
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

test.each(['a', undefined])(
  'sends one token in all resends, the given one or a new one: %s',
  async (token) => {
    vi.spyOn(Math, 'random').mockReturnValue(0) // No pauses.
    const clients = await clientsOf(respond(500), 2)

    for (const ClientRequestToken of [token, token])
      await sendBoth(clients, 'TransactWriteCommand', { TransactItems: [], ClientRequestToken })

    const tokens = clients.requests.map(({ body }): string => JSON.parse(body).ClientRequestToken)
    // Each client sent two commands, each of them twice.
    expect(tokens.map((each) => tokens.indexOf(each))).toEqual(
      token ? Array(8).fill(0) : [0, 0, 2, 2, 4, 4, 6, 6],
    )
    for (const each of tokens)
      expect(each).toMatch(token ?? /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/)
  },
)

// The SDK throws no error for the first three, and reads the last one to its end.
test.each<[string, Fate]>([
  ['no body', respond(200)],
  ['a body that is cut', respond(200, '{"Item":{"id":{"N":"1')],
  ['part of a body', respond(206, '{"Item":{"id":{"N":"1"}}}')],
  ['a body that is too long to be from DynamoDB', 'endless'],
])('throws a network error for %s', async (_, fate) => {
  const { lean } = await clientsOf(fate)

  const error = await lean.client.send(new lib.GetCommand(get), {}).catch((error) => error)

  expect(error).toMatchObject({ $metadata: { attempts: 1 } })
  expect(error).not.toBeInstanceOf(client.DynamoDBServiceException)
})

test('stops retrying in an outage when the SDK does, and starts again when it does', async () => {
  vi.spyOn(Math, 'random').mockReturnValue(0) // No pauses.
  const response = { status: 0, body: '{}' }
  const clients = await clientsOf(response, 3)
  const attempts: [sdk: number, lean: number][] = []
  for (const status of [...Array(20).fill(500), ...Array(4).fill(200), 500]) {
    response.status = status
    const { ofSdk, ofLean } = await sendBoth(clients)
    // Only its errors have metadata.
    attempts.push([ofSdk.$metadata.attempts, ofLean.$metadata?.attempts ?? 1])
  }

  expect(attempts.map(([, lean]) => lean)).toEqual([
    ...Array(17).fill(3),
    2,
    1,
    1,
    ...Array(4).fill(1),
    2,
  ])
  expect(attempts.filter(([sdk, lean]) => sdk !== lean)).toEqual([])
})

// A response whose parts come in time ends at no other time limit. On a busy machine, they may come
// late.
test.each<[string, Fate, attempts: number, limit?: number]>([
  ['a request', 'silence', 1],
  ['a response', incomplete, 1],
  ['a response that goes on', 'drip', 1, 200],
  ['the pause before a retry', respond(503), 2],
])('ends %s when the signal aborts', { retry: 3 }, async (_, fate, attempts, limit) => {
  vi.spyOn(Math, 'random').mockReturnValue(1e6) // A pause of hours.
  const { lean } = await clientsOf(fate, attempts, limit)

  const sent = lean.client.send(new lib.GetCommand(get), { abortSignal: AbortSignal.timeout(400) })

  await expect(sent).rejects.toMatchObject({ name: 'AbortError' })
})
