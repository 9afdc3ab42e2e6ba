import { beforeEach, expect, test } from 'vitest'
import * as apiKeys from '../../../shared/data/api-keys.ts'
import * as pets from '../../../shared/data/pets.ts'
import { newApiKey } from '../../../shared/model/api-key.ts'
import { proxy } from './faulty-database.ts'

let requests: { operation: string; body: unknown }[] = []

beforeEach(() => {
  requests = []
  proxy.faultOf = ({ operation, body }) => {
    requests.push({ operation, body: JSON.parse(body) })
    return 'pass'
  }
})

test('a pet is read strongly consistent, so that it is there as soon as it was created', async () => {
  await pets.find(7)

  expect(requests).toEqual([
    { operation: 'GetItem', body: { TableName: 'PetStoreLocal-Pets', Key: { id: { N: '7' } }, ConsistentRead: true } },
  ])
})

test('a reservation is read strongly consistent, so that all attempts at a pet see the same id', async () => {
  const intent = { clientId: 'ann', operation: 'createPet', key: 'order-1742' }
  await pets.create({ name: 'Rex', categoryId: 7 }, intent)
  requests = []

  await pets.create({ name: 'Rex', categoryId: 7 }, intent)

  const reads = requests.filter(({ operation }) => operation === 'GetItem')
  const consistent = (TableName: string) => expect.objectContaining({ TableName, ConsistentRead: true })
  expect(reads.map(({ body }) => body)).toEqual([
    consistent('PetStoreLocal-IdempotencyKeys'),
    consistent('PetStoreLocal-Pets'),
  ])
})

test('an API key is read strongly consistent, so that it is dead as soon as it was revoked', async () => {
  await apiKeys.find(newApiKey('local'))

  expect(requests).toEqual([
    {
      operation: 'GetItem',
      body: expect.objectContaining({ TableName: 'PetStoreLocal-ApiKeys', ConsistentRead: true }),
    },
  ])
})

test('an API key does not leave the process', async () => {
  const key = newApiKey('local')

  await apiKeys.find(key)

  expect(JSON.stringify(requests)).not.toContain(key.slice('pet_local_'.length))
})

test('a page costs one query a partition, each of one pet more than the page has', async () => {
  await pets.list({ status: 'sold', limit: 3, before: 9 })

  expect(requests).toEqual([
    {
      operation: 'Query',
      body: {
        TableName: 'PetStoreLocal-Pets',
        IndexName: 'byStatus',
        KeyConditionExpression: 'statusShard = :shard AND id < :before',
        ExpressionAttributeValues: { ':shard': { S: 'sold#0' }, ':before': { N: '9' } },
        ScanIndexForward: false,
        Limit: 4,
      },
    },
  ])
})
