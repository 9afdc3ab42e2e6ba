import type { settings } from './settings.ts'

/** An attribute of a table's or an index's key. */
export type KeyAttribute = { name: string; type: 'S' | 'N' }

/** A table as the service needs it. CDK, the local database and the tests all make theirs from this. */
export type Table = {
  /** The setting that tells a function the table's name. */
  setting: keyof typeof settings
  partitionKey: KeyAttribute
  /** Global secondary indexes; they hold all attributes. */
  indexes: Record<string, { partitionKey: KeyAttribute; sortKey: KeyAttribute }>
  /** The attribute by which DynamoDB deletes items late: seconds since 1970. */
  timeToLive?: string
}

export const tables = {
  pets: {
    setting: 'petsTable',
    partitionKey: { name: 'id', type: 'N' },
    indexes: {
      byStatus: { partitionKey: { name: 'statusShard', type: 'S' }, sortKey: { name: 'id', type: 'N' } },
    },
  },
  apiKeys: {
    setting: 'apiKeysTable',
    partitionKey: { name: 'digest', type: 'S' },
    indexes: {},
    timeToLive: 'expiresAt',
  },
  idempotencyKeys: {
    setting: 'idempotencyKeysTable',
    partitionKey: { name: 'intent', type: 'S' },
    indexes: {},
    timeToLive: 'expiresAt',
  },
} as const satisfies Record<string, Table>

/** The names of all tables. */
export const tableNames = Object.keys(tables) as (keyof typeof tables)[] // `Object.keys` types them as any string.

/** What a function may do, and with which table or index of it: no more is granted to it. */
export type Access = {
  [Name in keyof typeof tables]: {
    table: Name
    index?: keyof (typeof tables)[Name]['indexes']
    actions: readonly ('GetItem' | 'PutItem' | 'Query')[]
  }
}[keyof typeof tables]
