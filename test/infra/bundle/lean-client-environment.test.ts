import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { Sha256 } from '@smithy/core/checksum'
import { HttpRequest } from '@smithy/core/protocols'
import { SignatureV4 } from '@smithy/signature-v4'
import fc from 'fast-check'
import { beforeEach, expect, test, vi } from 'vitest'
import { DynamoDBClient as LeanClient } from '../../../infra/bundle/lean-client/client-dynamodb.ts'
import { endpoint } from '../../../infra/bundle/lean-client/environment.ts'
import { signer } from '../../../infra/bundle/lean-client/signature.ts'

beforeEach(() => {
  vi.stubEnv('AWS_ENDPOINT_URL', '')
  vi.stubEnv('AWS_ENDPOINT_URL_DYNAMODB', '')
  return () => void vi.unstubAllEnvs()
})

const config = new DynamoDBClient({ region: 'eu-central-1' }).config

test.each([
  'eu-central-1',
  'us-gov-west-1',
  'cn-north-1',
  'eusc-de-east-1',
  'us-iso-east-1',
  'us-isob-east-1',
  'eu-isoe-west-1',
  'us-isof-south-1',
])('the endpoint is the one that the SDK uses in %s', (region) => {
  vi.stubEnv('AWS_REGION', region)

  const { url } = config.endpointProvider({ Region: region, UseDualStack: false, UseFIPS: false })
  expect(endpoint().href).toBe(url.href)
})

test('the endpoint can be set for all of AWS, and for DynamoDB alone', () => {
  vi.stubEnv('AWS_ENDPOINT_URL', 'http://all.example:1')
  expect(endpoint().href).toBe('http://all.example:1/')

  vi.stubEnv('AWS_ENDPOINT_URL_DYNAMODB', 'http://one.example:2')
  expect(endpoint().href).toBe('http://one.example:2/')
})

test.each<[string, Record<string, string>, object?]>([
  ['AWS_USE_FIPS_ENDPOINT', { AWS_USE_FIPS_ENDPOINT: 'true' }],
  ['AWS_USE_DUALSTACK_ENDPOINT', { AWS_USE_DUALSTACK_ENDPOINT: 'true' }],
  ['an endpoint with a path', { AWS_ENDPOINT_URL_DYNAMODB: 'http://one.example:2/a' }],
  ['an endpoint with a path', { AWS_ENDPOINT_URL_DYNAMODB: 'http://one.example:2/?b' }],
  ['the option region', {}, { region: 'eu-central-1' }],
])(
  'a client that needs %s is refused, with the setting for the SDK',
  (what, variables, options) => {
    for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value)
    const requestHandler = { connectionTimeout: 1, requestTimeout: 1, socketTimeout: 1 }

    const problem = `The lean DynamoDB client does not support ${what}.`
    expect(() => new LeanClient({ maxAttempts: 1, requestHandler, ...options })).toThrow(
      new Error(`${problem} Set stockClient in infra/stages.ts.`),
    )
  },
)

const word = fc.stringMatching(/^[\w/+=-]{1,60}$/)
const date = fc.date({
  min: new Date('2020-01-01'),
  max: new Date('2090-01-01'),
  noInvalidDate: true,
})
const name = fc.stringMatching(/^[a-z][a-z-]{0,20}$/)
// A header value has no white space at its ends (RFC 9110, section 5.5) when DynamoDB receives it.
const value = fc
  .stringMatching(/^[\x21-\x7e]([\x20-\x7e]{0,30}[\x21-\x7e])?$/)
  .map((text) => text.replace(/ +/g, ' '))

test('the signature is the one that the SDK makes', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.record({
        accessKeyId: word,
        secretAccessKey: word,
        sessionToken: fc.option(word, { nil: undefined }),
      }),
      fc.stringMatching(/^[a-z0-9-]{1,20}$/),
      fc.dictionary(name, value, { noNullPrototype: true }),
      fc.string({ unit: 'grapheme' }),
      fc.array(date, { minLength: 1, maxLength: 2 }),
      async (credentials, region, others, body, dates) => {
        const headers = { ...others, host: 'dynamodb.eu-central-1.amazonaws.com' }
        vi.stubEnv('AWS_REGION', region)
        vi.stubEnv('AWS_ACCESS_KEY_ID', credentials.accessKeyId)
        vi.stubEnv('AWS_SECRET_ACCESS_KEY', credentials.secretAccessKey)
        vi.stubEnv('AWS_SESSION_TOKEN', credentials.sessionToken)
        const request = new HttpRequest({ method: 'POST', path: '/', headers, body })
        const signableHeaders = new Set(Object.keys(headers))
        const options = { service: 'dynamodb', sha256: Sha256, applyChecksum: false }
        const sdk = new SignatureV4({ ...options, region, credentials })
        const sign = signer()

        for (const signingDate of dates) {
          const expected = await sdk.sign(request, { signingDate, signableHeaders })
          expect(sign(headers, body, signingDate)).toEqual(expected.headers)
        }
      },
    ),
    { numRuns: 60 },
  )
})
