import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { Sha256 } from '@smithy/core/checksum'
import { HttpRequest } from '@smithy/core/protocols'
import { SignatureV4 } from '@smithy/signature-v4'
import fc from 'fast-check'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { endpoint } from '../../../infra/bundle/lean-client/environment.ts'
import { signer } from '../../../infra/bundle/lean-client/signature.ts'

beforeEach(() => {
  vi.stubEnv('AWS_REGION', 'eu-central-1')
  for (const name of ['AWS_ENDPOINT_URL', 'AWS_ENDPOINT_URL_DYNAMODB']) vi.stubEnv(name, undefined)
  return () => vi.unstubAllEnvs()
})

describe('the endpoint', () => {
  const sdk = new DynamoDBClient({ region: 'eu-central-1' })

  const regions =
    'eu-central-1 us-gov-west-1 cn-north-1 eusc-de-east-1 us-iso-east-1 us-isob-east-1 eu-isoe-west-1 us-isof-south-1'

  test.each(regions.split(' '))('is the one that the SDK uses in %s', (region) => {
    vi.stubEnv('AWS_REGION', region)

    const { url } = sdk.config.endpointProvider({ Region: region, UseDualStack: false, UseFIPS: false })
    expect(endpoint().href).toBe(url.href)
  })

  const all = 'http://all.example:1/'
  const one = 'http://one.example:2/'

  test.each([
    [{ AWS_ENDPOINT_URL: all }, all],
    [{ AWS_ENDPOINT_URL: all, AWS_ENDPOINT_URL_DYNAMODB: one }, one],
    [{ AWS_ENDPOINT_URL: all, AWS_ENDPOINT_URL_DYNAMODB: '' }, all],
  ])('can be set: %o', (variables, expected) => {
    for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value)

    expect(endpoint().href).toBe(expected)
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
        fc.record({ accessKeyId: word, sessionToken: fc.option(word, { nil: undefined }) }),
        fc.array(word, { minLength: 1, maxLength: 2 }),
        fc.stringMatching(/^[a-z0-9-]{1,20}$/),
        fc.dictionary(name, value, { noNullPrototype: true }),
        fc.string({ unit: 'grapheme' }),
        fc.array(date, { minLength: 1, maxLength: 2 }),
        async (client, secrets, region, others, body, dates) => {
          const headers = { ...others, host: 'dynamodb.eu-central-1.amazonaws.com' }
          vi.stubEnv('AWS_REGION', region)
          vi.stubEnv('AWS_ACCESS_KEY_ID', client.accessKeyId)
          vi.stubEnv('AWS_SESSION_TOKEN', client.sessionToken)
          const request = new HttpRequest({ method: 'POST', path: '/', headers, body })
          const signableHeaders = new Set(Object.keys(headers))
          for (const secretAccessKey of secrets) {
            vi.stubEnv('AWS_SECRET_ACCESS_KEY', secretAccessKey)
            const credentials = { ...client, secretAccessKey }
            const options = { service: 'dynamodb', sha256: Sha256, applyChecksum: false }
            const sdk = new SignatureV4({ ...options, region, credentials })
            for (const signingDate of dates) {
              const signed = signer()(headers, body, signingDate)
              expect(signed).toEqual((await sdk.sign(request, { signingDate, signableHeaders })).headers)
            }
          }
        },
      ),
      { numRuns: 500 },
    )
  })

  test.each(['AWS_REGION', 'AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY'])('needs %s', (variable) => {
    vi.stubEnv(variable, '')

    expect(() => signer()).toThrow(`The environment variable ${variable} is not set.`)
  })
})
