import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import {
  DeleteCommand,
  DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  paginateScan,
} from '@aws-sdk/lib-dynamodb'
import { beforeEach } from 'vitest'
import { createTables } from '../../infra/local/database/create-tables.ts'
import { startEmbedded } from '../../infra/packages/embedded-dynamodb/index.ts'
import { type TableId, tableName } from '../../shared/data/tables.ts'
import { digestOf, newApiKey } from '../../shared/model/api-key.ts'
import type { Int64 } from '../../shared/model/int64.ts'
import { scopes } from '../../shared/service.ts'
import { type Fault, startFaultProxy } from './fault-proxy.ts'

// Each test file that imports this has its own database, with the service's tables and the local
// API key. The service reaches it through `proxy`, the functions below directly.
export const { endpoint } = await startEmbedded()
export const proxy = await startFaultProxy(endpoint)
await createTables(proxy.endpoint)

const direct = DynamoDBDocumentClient.from(new DynamoDBClient({ endpoint }), {
  marshallOptions: { removeUndefinedValues: true },
})

beforeEach(() => {
  proxy.faultOf = () => 'pass'
  proxy.counts = {}
})

/** Applies a fault to each request. */
export const failAlways = (fault: Fault): void => {
  proxy.faultOf = () => fault
}

/** Applies a fault to the first request of each of these operations. All other requests pass. */
export const failOnce = (faults: Partial<Record<string, Fault>>): void => {
  const left = new Map(Object.entries(faults))
  proxy.faultOf = ({ operation }) => {
    const fault = left.get(operation) ?? 'pass'
    left.delete(operation)
    return fault
  }
}

/**
 * For tests that count requests: on a busy machine, the SDK may resend one after a second. Then the
 * test runs again.
 */
export const retryOnBusyMachine = { retry: 3 }

/** An item as it is stored. */
export type StoredItem = Record<string, unknown>

/** All items of a table. */
export const storedItems = async (table: TableId = 'pets'): Promise<StoredItem[]> => {
  const pages = await Array.fromAsync(
    paginateScan({ client: direct }, { TableName: tableName(table) }),
  )
  return pages.flatMap(({ Items = [] }) => Items)
}

/** Writes an item that the service itself would not write. */
export const putItem = (table: TableId, Item: StoredItem) =>
  direct.send(new PutCommand({ TableName: tableName(table), Item }))

/** A pet as it is stored. */
export const storedItem = async (id: Int64): Promise<StoredItem | undefined> =>
  (await direct.send(new GetCommand({ TableName: tableName('pets'), Key: { id } }))).Item

type KeyOptions = StoredItem & { key?: string }

/** Stores an API key with any attributes, by default a new one, and returns it. */
export const storeKey = async ({ key = newApiKey('local'), ...options }: KeyOptions = {}) => {
  const stored = {
    keyId: 'key-1',
    clientId: 'ann',
    name: 'Ann',
    scopes,
    createdAt: '2026-11-20',
    ...options,
  }
  await putItem('apiKeys', { digest: digestOf(key), ...stored })
  return key
}

/** Deletes an item, as another process would. */
export const deleteItem = (table: TableId, Key: StoredItem) =>
  direct.send(new DeleteCommand({ TableName: tableName(table), Key }))

/** Deletes an API key, as another process would. */
export const deleteKey = (key: string) => deleteItem('apiKeys', { digest: digestOf(key) })
