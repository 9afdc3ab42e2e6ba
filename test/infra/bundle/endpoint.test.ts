import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { beforeEach, expect, test, vi } from 'vitest'
import { endpoint } from '../../../infra/bundle/sdk/environment.ts'

beforeEach(() => {
  vi.stubEnv('AWS_ENDPOINT_URL_DYNAMODB', undefined)
  vi.stubEnv('AWS_ENDPOINT_URL', undefined)
  return () => vi.unstubAllEnvs()
})

const sdk = new DynamoDBClient({ region: 'eu-central-1' })

test.each([
  'eu-central-1',
  'us-gov-west-1',
  'cn-north-1',
  'eusc-de-east-1',
  'us-iso-east-1',
  'us-isob-east-1',
  'eu-isoe-west-1',
  'us-isof-south-1',
])('finds DynamoDB in the region of the function, where the SDK finds it: %s', (region) => {
  vi.stubEnv('AWS_REGION', region)

  const { url } = sdk.config.endpointProvider({ Region: region, UseDualStack: false, UseFIPS: false })
  expect(endpoint().href).toBe(url.href)
})

test.each([
  ['AWS_ENDPOINT_URL', { AWS_ENDPOINT_URL: 'http://all.example:1' }, 'http://all.example:1/'],
  [
    'AWS_ENDPOINT_URL_DYNAMODB first',
    { AWS_ENDPOINT_URL: 'http://all.example:1', AWS_ENDPOINT_URL_DYNAMODB: 'http://one.example:2' },
    'http://one.example:2/',
  ],
  [
    'what is empty says nothing',
    { AWS_ENDPOINT_URL: 'http://all.example:1', AWS_ENDPOINT_URL_DYNAMODB: '' },
    'http://all.example:1/',
  ],
])('finds DynamoDB where it is told to: %s', (_, variables, expected) => {
  for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value)

  expect(endpoint().href).toBe(expected)
})
