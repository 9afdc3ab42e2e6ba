import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { DeleteCommand, DynamoDBDocumentClient, GetCommand, PutCommand, paginateScan } from '@aws-sdk/lib-dynamodb'
import { beforeEach } from 'vitest'
import { openDatabase } from '../../../infra/local/database.ts'
import { startEmbedded } from '../../../infra/local/embedded-database.ts'
import { tableName } from '../../../shared/data/tables.ts'
import { digestOf, newApiKey, type Scope } from '../../../shared/model/api-key.ts'
import type { Int64 } from '../../../shared/model/int64.ts'
import { type Fault, startFaultProxy } from '../../support/fault-proxy.ts'

// Each test file that imports this has its own database. The service reaches it through `proxy`, the functions below directly.
export const { endpoint } = await startEmbedded()
export const proxy = await startFaultProxy(endpoint)
await openDatabase(undefined, proxy.endpoint)

const direct = DynamoDBDocumentClient.from(new DynamoDBClient({ endpoint }), {
  marshallOptions: { removeUndefinedValues: true },
})

beforeEach(() => {
  always('pass')
  proxy.counts = {}
})

/** Applies a fault to each request. */
export const always = (fault: Fault): void => {
  proxy.faultOf = () => fault
}

/** Applies a fault to the first request of each of these operations. All other requests pass. */
export const once = (faults: Partial<Record<string, Fault>>): void => {
  const left = new Map(Object.entries(faults))
  proxy.faultOf = ({ operation }) => {
    const fault = left.get(operation) ?? 'pass'
    left.delete(operation)
    return fault
  }
}

/** A pet as it is stored; a deleted pet has no name. */
export type StoredPet = Record<string, unknown> & { id: number; name?: string }

/** All stored pets. */
export const storedPets = async (): Promise<StoredPet[]> => {
  const pages = await Array.fromAsync(paginateScan({ client: direct }, { TableName: tableName('pets') }))
  return pages.flatMap(({ Items = [] }) => Items as StoredPet[]) // The document client types every item as `any`.
}

/** A pet as it is stored. */
export const storedPet = async (id: Int64): Promise<StoredPet | undefined> => {
  const { Item } = await direct.send(new GetCommand({ TableName: tableName('pets'), Key: { id } }))
  return Item as StoredPet | undefined // As above.
}

/** Stores a pet as it is unless its id is in use, and returns whether it did. */
export const storePet = async (Item: StoredPet): Promise<boolean> => {
  if (await storedPet(Item.id)) return false
  await direct.send(new PutCommand({ TableName: tableName('pets'), Item }))
  return true
}

type KeyOptions = { key?: string; clientId?: string; scopes?: readonly Scope[] | undefined; expiresAt?: number }

/** Stores an API key, by default a new one, and returns it. `expiresAt` is in seconds since 1970. */
export const storeKey = async ({ key = newApiKey('local'), clientId = 'ann', ...options }: KeyOptions = {}) => {
  const Item = { digest: digestOf(key), keyId: 'key-1', clientId, name: 'Ann', createdAt: '2026-11-20', ...options }
  await direct.send(new PutCommand({ TableName: tableName('apiKeys'), Item }))
  return key
}

/** Deletes an API key, as another process would. */
export const deleteKey = (key: string) =>
  direct.send(new DeleteCommand({ TableName: tableName('apiKeys'), Key: { digest: digestOf(key) } }))
