import { variableValue } from '../settings.ts'

/** An attribute of the key of a table or an index. */
export type KeyAttribute = { name: string; type: 'S' | 'N' }

/** A global secondary index. `field` is whose value the items in a partition share, if they share one. */
type Index = { partitionKey: KeyAttribute; sortKey: KeyAttribute; field?: string }

/** A table definition. CDK, the local database and the tests create their tables from it. */
export type Table = {
  partitionKey: KeyAttribute
  /** Global secondary indexes; they project all attributes. */
  indexes: Record<string, Index>
  /** The attribute that holds the time to live, in seconds since 1970. DynamoDB deletes expired items up to two days late. */
  timeToLive?: string
  /** Whether the partitions of its indexes are spread over shards, as the settings say. */
  sharded?: boolean
}

export const tables = {
  pets: {
    partitionKey: { name: 'id', type: 'N' },
    indexes: {
      // The newest pets: of all, and of those with a status. A partition takes 1,000 writes per second, so the setting
      // `writeShards` spreads the pets over several, by their ids.
      newest: { partitionKey: { name: 'shard', type: 'N' }, sortKey: { name: 'id', type: 'N' } },
      byStatus: {
        partitionKey: { name: 'statusShard', type: 'S' }, // `<status>#<shard>`
        sortKey: { name: 'id', type: 'N' },
        field: 'status',
      },
    },
    timeToLive: 'expiresAt', // Only deleted pets have it.
    sharded: true,
  },
  apiKeys: { partitionKey: { name: 'digest', type: 'S' }, indexes: {}, timeToLive: 'expiresAt' },
  idempotencyKeys: { partitionKey: { name: 'intent', type: 'S' }, indexes: {}, timeToLive: 'expiresAt' },
} as const satisfies Record<string, Table>

export type TableId = keyof typeof tables

/** The ids of all tables. */
export const tableIds = Object.keys(tables) as TableId[] // `Object.keys` types them as any string.

/** The environment variable that holds the name of a table, such as `API_KEYS_TABLE`. */
export const tableVariable = (id: TableId): string => `${id.replace(/[A-Z]/g, '_$&').toUpperCase()}_TABLE`

/** The name of a table in this deployment. Throws an Error if its variable is not set. */
export const tableName = (id: TableId): string => variableValue(tableVariable(id))

/** The index of all items of a table that has one: its name, and its partition key. */
export const NEWEST = { index: 'newest', field: undefined, key: 'shard' }

/** The indexes of a table whose partitions hold the items with one value of a field. */
export const fieldIndexes = (id: TableId) => {
  const { indexes }: Table = tables[id]
  return Object.entries(indexes).flatMap(([index, { field, partitionKey }]) =>
    field ? [{ index, field, key: partitionKey.name }] : [],
  )
}

/** The actions that a function may do with a table, or with one of its indexes. It may do nothing else, locally too. */
export type Access = {
  [Id in TableId]: { table: Id; index?: keyof (typeof tables)[Id]['indexes']; actions: readonly Action[] }
}[TableId]

/** The actions on items, as IAM names them. A transaction needs the actions of its items. */
export type Action =
  | 'BatchGetItem'
  | 'BatchWriteItem'
  | 'ConditionCheckItem'
  | 'DeleteItem'
  | 'GetItem'
  | 'PutItem'
  | 'Query'
  | 'Scan'
  | 'UpdateItem'
