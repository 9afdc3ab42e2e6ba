import { beforeEach, expect, test, vi } from 'vitest'
import { endpoint } from '../../../infra/bundle/sdk/environment.ts'

beforeEach(() => {
  vi.stubEnv('AWS_ENDPOINT_URL_DYNAMODB', undefined)
  vi.stubEnv('AWS_ENDPOINT_URL', undefined)
  return () => vi.unstubAllEnvs()
})

test.each([
  ['eu-central-1', 'https://dynamodb.eu-central-1.amazonaws.com/'],
  ['us-gov-west-1', 'https://dynamodb.us-gov-west-1.amazonaws.com/'],
  ['cn-north-1', 'https://dynamodb.cn-north-1.amazonaws.com.cn/'],
])('finds DynamoDB in the region of the function: %s', (region, expected) => {
  vi.stubEnv('AWS_REGION', region)

  expect(endpoint().href).toBe(expected)
})

test.each([
  ['AWS_ENDPOINT_URL', { AWS_ENDPOINT_URL: 'http://all.example:1' }, 'http://all.example:1/'],
  [
    'AWS_ENDPOINT_URL_DYNAMODB first',
    { AWS_ENDPOINT_URL: 'http://all.example:1', AWS_ENDPOINT_URL_DYNAMODB: 'http://one.example:2' },
    'http://one.example:2/',
  ],
])('finds DynamoDB where it is told to: %s', (_, variables, expected) => {
  for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value)

  expect(endpoint().href).toBe(expected)
})
