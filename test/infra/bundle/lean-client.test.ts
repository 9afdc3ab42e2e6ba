import { deepStrictEqual } from 'node:assert/strict'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { json } from 'node:stream/consumers'
import * as sdkClient from '@aws-sdk/client-dynamodb'
import * as sdkLib from '@aws-sdk/lib-dynamodb'
import { Sha256 } from '@smithy/core/checksum'
import { HttpRequest } from '@smithy/core/protocols'
import { SignatureV4 } from '@smithy/signature-v4'
import fc from 'fast-check'
import { beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import * as client from '../../../infra/bundle/lean-client/client-dynamodb.ts'
import { endpoint, notSupported } from '../../../infra/bundle/lean-client/environment.ts'
import * as lib from '../../../infra/bundle/lean-client/lib-dynamodb.ts'
import { signer } from '../../../infra/bundle/lean-client/signature.ts'
import { exampleCredentials } from '../../support/secrets.ts'

// The requests that the server received in place of DynamoDB, and its response.
let requests: { headers: IncomingMessage['headers']; body: unknown }[]
let response: {
  status: number
  body: string
  headers?: Record<string, string>
  fault?: 'cut' | 'silent' | 'incomplete' | 'endless' | 'switched'
}

const server = createServer(async (incoming, outgoing) => {
  requests.push({ headers: incoming.headers, body: await json(incoming) })
  const { status, body, headers, fault } = response
  if (fault === 'cut') outgoing.destroy()
  if (fault === 'switched')
    outgoing.socket?.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: a\r\nConnection: upgrade\r\n\r\n')
  if (fault === 'cut' || fault === 'silent' || fault === 'switched') return
  outgoing.writeHead(status, { 'x-amzn-requestid': 'R1', ...headers })
  if (fault === 'incomplete') outgoing.write('{')
  else if (fault === 'endless') endlessly('0'.repeat(1_000_000)).pipe(outgoing)
  else outgoing.end(body)
})

const endlessly = (part: string) =>
  new Readable({
    read() {
      this.push(part)
    },
  })

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return () => server.close().closeAllConnections()
})

beforeEach(() => {
  requests = []
  response = { status: 200, body: '{}' }
  const { port } = server.address() as AddressInfo // Not the name of a pipe.
  vi.stubEnv('AWS_ENDPOINT_URL_DYNAMODB', `http://127.0.0.1:${port}`)
  vi.stubEnv('AWS_ENDPOINT_URL', undefined)
  vi.stubEnv('AWS_REGION', 'eu-central-1')
  for (const [name, value] of Object.entries(exampleCredentials)) vi.stubEnv(name, value)
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

const condition = {
  ConditionExpression: '#a = :b',
  ExpressionAttributeNames: { '#a': 'a' },
  ReturnValues: 'ALL_OLD',
}
const selection = { ConsistentRead: true, ProjectionExpression: 'a', ReturnConsumedCapacity: 'TOTAL' }
const range = { IndexName: 'byStatus', Select: 'COUNT', Limit: 21, ScanIndexForward: false }

/** Each command: its parameters except those that hold items; those; and the fields of its output that hold items. */
const commands = {
  GetCommand: [selection, ['Key'], ['Item']],
  PutCommand: [condition, ['Item', 'ExpressionAttributeValues'], ['Attributes']],
  UpdateCommand: [
    { ...condition, UpdateExpression: 'SET #a = :b' },
    ['Key', 'ExpressionAttributeValues'],
    ['Attributes'],
  ],
  DeleteCommand: [condition, ['Key', 'ExpressionAttributeValues'], ['Attributes']],
  QueryCommand: [
    { ...selection, ...range, KeyConditionExpression: '#a = :b', FilterExpression: '#a = :b' },
    ['ExclusiveStartKey', 'ExpressionAttributeValues'],
    ['LastEvaluatedKey', 'Items'],
  ],
} satisfies Record<string, [parameters: object, input: string[], output: string[]]>
type Name = keyof typeof commands

/** A client of each kind. */
const clients = (...options: Parameters<typeof configuration>) => {
  const newLean = new client.DynamoDBClient(configuration(...options))
  const newSdk = new sdkClient.DynamoDBClient(configuration(...options))
  return {
    lean: { ...lib, client: lib.DynamoDBDocumentClient.from(newLean, translation()) },
    // A cast, because the SDK's types are narrower than one table of cases for both clients.
    sdk: { ...sdkLib, client: sdkLib.DynamoDBDocumentClient.from(newSdk, translation()) } as unknown as typeof lib & {
      client: lib.DynamoDBDocumentClient
    },
  }
}
const withoutRetries = clients()
const get = { TableName: 'Pets', Key: { id: 1 } }

/** The output or the error of a command, sent with the SDK and with the lean client. */
const sendBoth = async (name: Name, input: Record<string, unknown>, { lean, sdk } = withoutRetries) => {
  const outcome = ({ client, [name]: Command }: typeof lean) =>
    client.send(new Command(input), {}).catch((error) => error)
  return { ofSdk: await outcome(sdk), ofLean: await outcome(lean) }
}

describe('made-up items', () => {
  const names = fc.string().filter((name) => name !== '__proto__')
  // The SDK refuses a map with the key `constructor`, but not an item with such an attribute.
  const keys = names.filter((name) => name !== 'constructor')
  const limits = [Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER, -0, 5e-324, 2 ** 53, -(2 ** 53)]
  const numbers = fc.oneof(fc.double(), fc.integer(), fc.bigInt(), fc.constantFrom(...limits))
  const others = fc.constantFrom(undefined, null, true, false, '', new Date())
  const scalars = [fc.string({ unit: 'binary' }), numbers]
  const sets = scalars.map((each: fc.Arbitrary<unknown>) => fc.array(each, { maxLength: 3 }).map((all) => new Set(all)))
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof({ depthSize: 'small' }, ...scalars, others, ...sets, tie('list'), tie('map')),
    list: fc.array(tie('value'), { maxLength: 3 }),
    map: fc
      .dictionary(keys, tie('value'), { maxKeys: 3 })
      .chain((map) => fc.constantFrom(map, new Map(Object.entries(map)))),
  }))
  const digits = fc.oneof(
    fc.maxSafeInteger().map(String),
    fc.constantFrom('9007199254740993', '-0.5', '1E+30', '1e-130'),
  )
  const text = fc.string()
  const { attribute } = fc.letrec((tie) => {
    const scalars = { S: text, N: digits, BOOL: fc.boolean(), NULL: fc.constant(true) }
    const sets = { SS: fc.array(text), NS: fc.array(digits) }
    const types = Object.entries({ ...scalars, ...sets, L: fc.array(tie('attribute')), M: tie('attributes') })
    return {
      attribute: fc.oneof({ depthSize: 'small' }, ...types.map(([type, each]) => fc.record({ [type]: each }))),
      attributes: fc.dictionary(fc.oneof(names, fc.constantFrom('B', 'BS')), tie('attribute')),
    }
  })
  const attributeNames = fc.oneof(names, fc.constant('constructor'))
  const item = fc.dictionary(attributeNames, value, { maxKeys: 4, noNullPrototype: true })
  const output = fc.dictionary(attributeNames, attribute, { maxKeys: 4, noNullPrototype: true })
  const recordOf = (fields: string[], each: fc.Arbitrary<unknown>) =>
    fc.record(Object.fromEntries(fields.map((field) => [field, field === 'Items' ? fc.array(each) : each])), {
      requiredKeys: [],
    })

  test.each(Object.keys(commands) as Name[])('are sent and received as by the SDK: %s', async (name) => {
    const [parameters, sent, received] = commands[name]

    await fc.assert(
      fc.asyncProperty(recordOf(sent, item), recordOf(received, output), async (input, output) => {
        requests = []
        response.body = JSON.stringify({ ...output, ConsumedCapacity: { CapacityUnits: 0.5 } })
        const { ofSdk, ofLean } = await sendBoth(name, { TableName: 'Pets', ...parameters, ...input })
        const [bySdk, byLean] = requests.map(({ headers, body }) => ({
          target: headers['x-amz-target'],
          type: headers['content-type'],
          length: headers['content-length'],
          body,
        }))
        expect(byLean).toEqual(bySdk)
        if (ofSdk instanceof Error) expect(ofLean).toBeInstanceOf(Error)
        // Not `toStrictEqual`, which takes an attribute `constructor` for the type of an object.
        else deepStrictEqual({ ...ofLean, $metadata: ofSdk.$metadata }, ofSdk)
      }),
      { numRuns: 60 },
    )
  })
})

test.each([
  [{ ReturnItemCollectionMetrics: 'SIZE' }, 'the parameter ReturnItemCollectionMetrics'],
  [{ ReturnValuesOnConditionCheckFailure: 'ALL_OLD' }, 'the parameter ReturnValuesOnConditionCheckFailure'],
  [{ Item: JSON.parse('{"__proto__":{"a":1}}') }, 'an attribute __proto__'],
])('refuses what it does not support, and says which setting bundles the SDK: %o', async (input, what) => {
  const sent = withoutRetries.lean.client.send(new lib.PutCommand({ TableName: 'Pets', ...input }), {})

  await expect(sent).rejects.toEqual(notSupported(what))
  expect(requests).toEqual([])
})

test.each([
  ['{"__proto__":{"M":{"a":{"N":"1"}}}}', 'an attribute __proto__'],
  ['{"a":{"L":[{"B":"AQ=="}]}}', 'binary values'],
  ['{"a":{"BS":["AQ=="]}}', 'binary values'],
])('refuses a response with what it does not support, which is no network error: %s', async (item, what) => {
  response = { status: 200, body: `{"Item":${item}}` }

  const sent = withoutRetries.lean.client.send(new lib.GetCommand(get), {})

  await expect(sent).rejects.toEqual(notSupported(what))
  await expect(sent).rejects.not.toHaveProperty('$metadata')
})

const DYNAMODB = 'com.amazonaws.dynamodb.v20120810'

const failure = (name: string, message = 'no') => JSON.stringify({ __type: `${DYNAMODB}#${name}`, message })
const byHeader = (name: string) => ({ 'x-amzn-errortype': name })

test.each<[string, typeof response]>([
  ['a failed condition', { status: 400, body: failure('ConditionalCheckFailedException') }],
  ['exceeded throughput', { status: 400, body: failure('ProvisionedThroughputExceededException', 'slow') }],
  ['an exceeded limit', { status: 400, body: failure('RequestLimitExceeded') }],
  ['throttling with an address', { status: 400, body: '{"__type":"ThrottlingException:http://a.example/#b,c"}' }],
  ['throttling by a code', { status: 400, body: '{"code":"a#ThrottlingException"}' }],
  ['throttling by a header', { status: 400, body: '', headers: byHeader('ThrottlingException,b') }],
  ['an error without a name', { status: 400, body: '{}' }],
  ['an error with a number for its name', { status: 429, body: '{"__type":7}' }],
  ['an error without a body', { status: 413, body: '' }],
  ['an invalid request', { status: 400, body: '{"__type":"com.amazon.coral.validate#ValidationException"}' }],
  ['a missing right', { status: 400, body: '{"__type":"a.service#AccessDeniedException","Message":"no right"}' }],
  ['a conflict of replicas', { status: 400, body: failure('ReplicatedWriteConflictException') }],
  ['an expired signature', { status: 400, body: failure('InvalidSignatureException', 'Signature expired: it is') }],
  ['a wrong signature', { status: 400, body: failure('InvalidSignatureException', 'The signature does not') }],
  ['a server error', { status: 500, body: failure('InternalServerError', 'oops') }],
  ['a server error without a retry', { status: 501, body: '' }],
  ['HTML with status 200', { status: 200, body: '<html>' }],
  ['HTML with status 301', { status: 301, body: '<html>' }],
  ['HTML with status 502', { status: 502, body: '<html>' }],
  ['a broken connection', { status: 0, body: '', fault: 'cut' }],
  ['a switched protocol', { status: 101, body: '', fault: 'switched' }],
  ['no response in time', { status: 0, body: '', fault: 'silent' }],
  ['half a response in time', { status: 200, body: '', fault: 'incomplete' }],
])('sends a request as often as the SDK, and throws the same error: %s', async (_, given) => {
  vi.spyOn(Math, 'random').mockReturnValue(0) // No pauses.
  response = given

  const { ofSdk, ofLean } = await sendBoth('GetCommand', get, clients(3, given.fault && 200))

  const { name, message, $fault, $metadata } = ofSdk
  const { httpStatusCode, requestId, attempts } = $metadata
  const isFromDynamoDB = ofSdk instanceof sdkClient.DynamoDBServiceException
  expect(ofLean).toBeInstanceOf(Error)
  expect(ofLean.$metadata).toMatchObject({ attempts })
  expect(ofLean instanceof client.DynamoDBServiceException).toBe(isFromDynamoDB)
  expect(ofLean instanceof client.ConditionalCheckFailedException).toBe(
    ofSdk instanceof sdkClient.ConditionalCheckFailedException,
  )
  const ofService = { name, message, $fault, $metadata: { httpStatusCode, requestId } }
  if (isFromDynamoDB) expect(ofLean).toMatchObject(ofService)
})

// The SDK throws no error for these.
test.each([
  ['no body', 200, ''],
  ['a body that is cut', 200, '{"Item":{"id":{"N":"1'],
  ['part of a body', 206, '{"Item":{"id":{"N":"1"}}}'],
])('throws a network error for %s', async (_, status, body) => {
  response = { status, body }

  const { ofLean } = await sendBoth('GetCommand', get)

  expect(ofLean).toBeInstanceOf(Error)
  expect(ofLean.$metadata).toMatchObject({ attempts: 1 })
  expect(ofLean).not.toBeInstanceOf(client.DynamoDBServiceException)
})

test('ends a response that is too long to be from DynamoDB', async () => {
  response = { status: 200, body: '', fault: 'endless' }

  const sent = withoutRetries.lean.client.send(new lib.GetCommand(get), {})

  await expect(sent).rejects.toMatchObject({ message: 'The response is too long.', $metadata: { attempts: 1 } })
})

test('refuses options that it does not support', () => {
  const create = () => new client.DynamoDBClient({ ...configuration(), ...{ region: 'eu-central-1' } })

  expect(create).toThrow('The lean DynamoDB client does not support the option region. Set stockClient')
})

test('stops retrying in an outage when the SDK does, and starts again when it does', async () => {
  vi.spyOn(Math, 'random').mockReturnValue(0) // No pauses.
  const both = clients(3)
  const attempts: [sdk: number, lean: number][] = []
  for (const status of [...Array(20).fill(500), ...Array(4).fill(200), 500]) {
    response = { status, body: '{}' }
    const { ofSdk, ofLean } = await sendBoth('GetCommand', get, both)
    attempts.push([ofSdk.$metadata.attempts, ofLean.$metadata?.attempts ?? 1]) // Only its errors have metadata.
  }

  expect(attempts.map(([, lean]) => lean)).toEqual([...Array(17).fill(3), 2, 1, 1, ...Array(4).fill(1), 2])
  expect(attempts.filter(([sdk, lean]) => sdk !== lean)).toEqual([])
})

const { lean: retrying } = clients(2)

test('pauses for at most 25 ms before the first retry', async () => {
  response = { status: 503, body: '' }

  const error = await retrying.client.send(new lib.GetCommand(get), {}).catch((error) => error)

  expect(error.$metadata).toMatchObject({ httpStatusCode: 503, attempts: 2 })
  expect(error.$metadata.totalRetryDelay).toBeLessThanOrEqual(25)
})

test.each<[string, typeof response]>([
  ['a request', { status: 0, body: '', fault: 'silent' }],
  ['a response', { status: 200, body: '', fault: 'incomplete' }],
  ['the pause before a retry', { status: 503, body: '' }],
])('ends %s when the signal aborts', async (_, given) => {
  vi.spyOn(Math, 'random').mockReturnValue(1e6) // A pause of hours.
  response = given

  const sent = retrying.client.send(new lib.GetCommand(get), { abortSignal: AbortSignal.timeout(50) })

  await expect(sent).rejects.toMatchObject({ name: 'AbortError' })
})

describe('the endpoint', () => {
  const { config } = new sdkClient.DynamoDBClient({ region: 'eu-central-1' })

  const regions =
    'eu-central-1 us-gov-west-1 cn-north-1 eusc-de-east-1 us-iso-east-1 us-isob-east-1 eu-isoe-west-1 us-isof-south-1'

  test.each(regions.split(' '))('is the one that the SDK uses in %s', (region) => {
    vi.stubEnv('AWS_ENDPOINT_URL_DYNAMODB', undefined)
    vi.stubEnv('AWS_REGION', region)

    const { url } = config.endpointProvider({ Region: region, UseDualStack: false, UseFIPS: false })
    expect(endpoint().href).toBe(url.href)
  })

  const all = 'http://all.example:1/'
  const one = 'http://one.example:2/'

  test.each([
    [{ AWS_ENDPOINT_URL: all }, all],
    [{ AWS_ENDPOINT_URL: all, AWS_ENDPOINT_URL_DYNAMODB: one }, one],
    [{ AWS_ENDPOINT_URL: all, AWS_ENDPOINT_URL_DYNAMODB: '' }, all],
  ])('can be set: %o', (variables, expected) => {
    vi.stubEnv('AWS_ENDPOINT_URL_DYNAMODB', undefined)
    for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value)

    expect(endpoint().href).toBe(expected)
  })

  test.each([
    ['AWS_USE_FIPS_ENDPOINT', 'true', 'AWS_USE_FIPS_ENDPOINT'],
    ['AWS_USE_DUALSTACK_ENDPOINT', 'true', 'AWS_USE_DUALSTACK_ENDPOINT'],
    ['AWS_ENDPOINT_URL_DYNAMODB', `${one}a`, 'an endpoint with a path'],
    ['AWS_ENDPOINT_URL_DYNAMODB', `${one}?b`, 'an endpoint with a path'],
  ])('cannot be of every kind: %s=%s', (variable, value, what) => {
    vi.stubEnv(variable, value)

    expect(() => new client.DynamoDBClient(configuration())).toThrow(notSupported(what))
  })
})

describe('the signature', () => {
  const word = fc.stringMatching(/^[\w/+=-]{1,60}$/)
  const date = fc.date({ min: new Date('2020-01-01'), max: new Date('2090-01-01'), noInvalidDate: true })
  const name = fc.stringMatching(/^[a-z][a-z-]{0,20}$/)
  // A header value has no white space at its ends (RFC 9110, section 5.5) when DynamoDB receives it.
  const value = fc
    .stringMatching(/^[\x21-\x7e]([\x20-\x7e]{0,30}[\x21-\x7e])?$/)
    .map((text) => text.replace(/ +/g, ' '))

  test('is the one that the SDK makes', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.record({ accessKeyId: word, secretAccessKey: word, sessionToken: fc.option(word, { nil: undefined }) }),
        fc.stringMatching(/^[a-z0-9-]{1,20}$/),
        fc.dictionary(name, value, { noNullPrototype: true }),
        fc.string({ unit: 'grapheme' }),
        fc.stringMatching(/^[a-z]{1,9}$/),
        fc.array(fc.stringMatching(/^[\w :@%~$-]{1,9}$/)).map((parts) => `/${parts.map(encodeURIComponent).join('/')}`),
        fc.array(date, { minLength: 1, maxLength: 2 }),
        async (credentials, region, others, body, service, path, dates) => {
          const headers = { ...others, host: 'dynamodb.eu-central-1.amazonaws.com' }
          vi.stubEnv('AWS_REGION', region)
          vi.stubEnv('AWS_ACCESS_KEY_ID', credentials.accessKeyId)
          vi.stubEnv('AWS_SECRET_ACCESS_KEY', credentials.secretAccessKey)
          vi.stubEnv('AWS_SESSION_TOKEN', credentials.sessionToken)
          const request = new HttpRequest({ method: 'POST', path, headers, body })
          const signableHeaders = new Set(Object.keys(headers))
          const sdk = new SignatureV4({ service, sha256: Sha256, applyChecksum: false, region, credentials })
          const sign = signer(service, path)

          for (const signingDate of dates) {
            const expected = await sdk.sign(request, { signingDate, signableHeaders })
            expect(sign(headers, body, signingDate)).toEqual(expected.headers)
          }
        },
      ),
      { numRuns: 150 },
    )
  })

  test.each(['AWS_REGION', 'AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY'])('needs %s', (variable) => {
    vi.stubEnv(variable, '')

    expect(() => signer('dynamodb')).toThrow(`The environment variable ${variable} is not set.`)
  })
})
