import http from 'node:http'
import https from 'node:https'
import * as sdkClient from '@aws-sdk/client-dynamodb'
import { Sha256 } from '@smithy/core/checksum'
import { HttpRequest } from '@smithy/core/protocols'
import { SignatureV4 } from '@smithy/signature-v4'
import { beforeEach, expect, test, vi } from 'vitest'
import { type FakeRequest, serveFake } from '../../../support/fake-api.ts'
import { client, configuration, leanSender } from './senders.ts'

beforeEach(() => {
  vi.stubEnv('AWS_ENDPOINT_URL', '')
  vi.stubEnv('AWS_ENDPOINT_URL_DYNAMODB', '')
  return () => {
    vi.unstubAllEnvs()
    vi.useRealTimers()
    vi.restoreAllMocks()
  }
})

const get = { TableName: 'pets', Key: { id: 'Žofie 🐈' } }

/** The URL that a new client sends a request to, which does not leave this machine. */
const requestedUrl = async () => {
  const stopped = vi.fn((_url: URL) => {
    throw new Error('Stopped by the test.')
  })
  for (const each of [http, https])
    vi.spyOn(each, 'request').mockImplementation(stopped as typeof each.request)
  await expect(leanSender()('GetCommand', get)).rejects.toThrow('Stopped by the test.')
  vi.restoreAllMocks()
  return stopped.mock.calls[0]?.[0].href
}

const config = new sdkClient.DynamoDBClient({ region: 'eu-central-1' }).config

test.each([
  'eu-central-1',
  'cn-north-1',
  'eusc-de-east-1',
  'us-iso-east-1',
  'us-isob-east-1',
  'eu-isoe-west-1',
  'us-isof-south-1',
])('the endpoint is the one that the SDK uses in %s', async (region) => {
  vi.stubEnv('AWS_REGION', region)

  const { url } = config.endpointProvider({ Region: region, UseDualStack: false, UseFIPS: false })
  expect(await requestedUrl()).toBe(url.href)
})

test('the endpoint can be set for all of AWS, and for DynamoDB alone', async () => {
  vi.stubEnv('AWS_REGION', 'eu-central-1')
  vi.stubEnv('AWS_ENDPOINT_URL', 'http://all.example:1')
  expect(await requestedUrl()).toBe('http://all.example:1/')

  vi.stubEnv('AWS_ENDPOINT_URL_DYNAMODB', 'http://one.example:2')
  expect(await requestedUrl()).toBe('http://one.example:2/')
})

test.each<[string, Record<string, string>, object?]>([
  ['AWS_USE_FIPS_ENDPOINT', { AWS_USE_FIPS_ENDPOINT: 'true' }],
  ['AWS_USE_DUALSTACK_ENDPOINT', { AWS_USE_DUALSTACK_ENDPOINT: 'true' }],
  ['an endpoint with a path', { AWS_ENDPOINT_URL_DYNAMODB: 'http://one.example:2/a' }],
  ['the option region', {}, { region: 'eu-central-1' }],
])('a client that needs %s is refused, with what to do instead', (what, variables, options) => {
  for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value)
  const problem = `The lean DynamoDB client does not support ${what}.`
  expect(() => new client.DynamoDBClient({ ...configuration(), ...options })).toThrow(
    new Error(`${problem} Bundle the SDK's client instead.`),
  )
})

// Two of one day, and one of the next.
const dates = ['2026-01-31T00:00:00.999Z', '2026-01-31T23:59:59Z', '2026-02-01T00:00:00Z']

test.each([
  [undefined, 'eu-west-1'],
  ['a/+==', 'us-east-1'],
])(
  'the signature is the one that the SDK makes, with the token %s in %s',
  async (token, region) => {
    const { baseUrl, requests } = await serveFake({ status: 200, body: '{}' })
    const credentials = {
      accessKeyId: 'mine',
      secretAccessKey: 'b/+==',
      ...(token && { sessionToken: token }),
    }
    vi.stubEnv('AWS_ENDPOINT_URL_DYNAMODB', new URL(baseUrl).origin)
    vi.stubEnv('AWS_REGION', region)
    vi.stubEnv('AWS_ACCESS_KEY_ID', credentials.accessKeyId)
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', credentials.secretAccessKey)
    vi.stubEnv('AWS_SESSION_TOKEN', token)
    vi.useFakeTimers({ toFake: ['Date'] })
    const options = { service: 'dynamodb', sha256: Sha256, applyChecksum: false }
    const sdk = new SignatureV4({ ...options, region, credentials })
    const send = leanSender()

    for (const date of dates) {
      vi.setSystemTime(date)
      requests.length = 0
      await send('GetCommand', get)
      const [{ headers: sent, body }] = requests as [FakeRequest]
      const { host, 'content-type': type, 'x-amz-target': target } = sent
      const headers = { host: `${host}`, 'content-type': `${type}`, 'x-amz-target': `${target}` }
      const request = new HttpRequest({ method: 'POST', path: '/', headers, body })
      const signableHeaders = new Set(Object.keys(headers))
      const signed = await sdk.sign(request, { signingDate: new Date(date), signableHeaders })
      expect(sent).toMatchObject(signed.headers)
    }
  },
)
