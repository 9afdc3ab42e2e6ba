import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { DynamoDBClient } from '../../../infra/bundle/sdk/client-dynamodb.ts'

let requests: string[]
let connections: number
let server: Server

beforeEach(async () => {
  requests = []
  connections = 0
  server = createServer((request, response) => {
    requests.push(`${request.method} ${request.headers['x-amz-target'] ?? ''}`)
    request.resume().on('end', () => response.end('{}'))
  })
  server.on('connection', () => connections++)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo // Not the name of a pipe.
  vi.stubEnv('AWS_REGION', 'eu-central-1')
  vi.stubEnv('AWS_ENDPOINT_URL_DYNAMODB', `http://127.0.0.1:${port}`)
})

afterEach(() => {
  vi.unstubAllEnvs()
  server.closeAllConnections()
  server.close()
})

const newClient = () => new DynamoDBClient({ maxAttempts: 1, requestHandler: {} })

test('a function that starts opens the connection that its first request takes', async () => {
  vi.stubEnv('AWS_LAMBDA_FUNCTION_NAME', 'getPet')

  const client = newClient()
  await vi.waitUntil(() => requests.length > 0)
  await client.send('GetItem', {}, {})

  expect({ requests, connections }).toEqual({
    requests: ['GET ', 'POST DynamoDB_20120810.GetItem'],
    connections: 1,
  })
})

test('a request that comes at once waits for that connection', async () => {
  vi.stubEnv('AWS_LAMBDA_FUNCTION_NAME', 'getPet')

  await newClient().send('GetItem', {}, {})

  expect({ requests, connections }).toMatchObject({ requests: ['GET ', expect.anything()], connections: 1 })
})

test('a connection that cannot be opened is told of by the first request alone', async () => {
  vi.stubEnv('AWS_LAMBDA_FUNCTION_NAME', 'getPet')
  server.on('connection', (socket) => socket.destroy())

  const outcome = newClient().send('GetItem', {}, {})

  await expect(outcome).rejects.toMatchObject({ code: 'ECONNRESET', $metadata: { attempts: 1 } })
})

test('elsewhere, no connection is opened before there is a request', async () => {
  vi.stubEnv('AWS_LAMBDA_FUNCTION_NAME', undefined)

  await newClient().send('GetItem', {}, {})

  expect(requests).toEqual(['POST DynamoDB_20120810.GetItem'])
})
