import { GetCommand } from '@aws-sdk/lib-dynamodb'
import { expect, onTestFinished, test } from 'vitest'
import { clientOf } from './catalogue.ts'
import { startCountingProxy } from './counting-proxy.ts'
import '../../support/database.ts'

const environment = process.env as Record<string, string> // None that is read here is absent.

const startProxy = async () => {
  const proxy = await startCountingProxy(environment.AWS_ENDPOINT_URL_DYNAMODB ?? '')
  onTestFinished(proxy.stop)
  return proxy
}

test('keeps each call with its answer, once', async () => {
  const { endpoint, take } = await startProxy()
  const client = clientOf({ ...environment, AWS_ENDPOINT_URL_DYNAMODB: endpoint })

  const command = new GetCommand({ TableName: environment.PETS_TABLE, Key: { id: 8 }, ConsistentRead: true })
  await client.send(command)
  const failure = await client.send(new GetCommand({ TableName: 'Other', Key: { id: 8 } })).catch(({ name }) => name)

  const sent = { TableName: environment.PETS_TABLE, Key: { id: { N: '8' } }, ConsistentRead: true }
  expect(failure).toBe('ResourceNotFoundException')
  expect(take()).toEqual([
    { operation: 'GetItem', status: 200, sent, received: {} },
    expect.objectContaining({ operation: 'GetItem', status: 400 }),
  ])
  expect(take()).toEqual([])
})
