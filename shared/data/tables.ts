/** An attribute of the key of a table or an index. */
export type KeyAttribute = { name: string; type: 'S' | 'N' }

/** A table definition. CDK, the local database and the tests create their tables from it. */
export type Table = {
  /** The setting that holds the table's name. */
  setting: keyof typeof settings
  partitionKey: KeyAttribute
  /** Global secondary indexes; they project all attributes. */
  indexes: Record<string, { partitionKey: KeyAttribute; sortKey: KeyAttribute }>
  /** The attribute that holds the time to live, in seconds since 1970. DynamoDB deletes expired items up to two days late. */
  timeToLive?: string
}

export const tables = {
  pets: {
    setting: 'petsTable',
    partitionKey: { name: 'id', type: 'N' },
    indexes: {
      // The newest pets: of all, and of those with a status. A partition takes 1,000 writes per second, so the setting
      // `writeShards` spreads the pets over several, by their ids.
      newest: { partitionKey: { name: 'shard', type: 'N' }, sortKey: { name: 'id', type: 'N' } },
      byStatus: { partitionKey: { name: 'statusShard', type: 'S' }, sortKey: { name: 'id', type: 'N' } },
    },
    timeToLive: 'expiresAt', // Only deleted pets have it.
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

/** The actions that a function may do with a table, or with one of its indexes. It may do nothing else, locally too. */
export type Access = {
  [Name in keyof typeof tables]: {
    table: Name
    index?: keyof (typeof tables)[Name]['indexes']
    actions: readonly Action[]
  }
}[keyof typeof tables]

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

/**
 * The environment variables of a function. The stack, the local server and the tests set them. (The AWS SDK reads
 * `AWS_ENDPOINT_URL_DYNAMODB` and `AWS_REGION` itself.)
 */
export const settings = {
  petsTable: 'PETS_TABLE',
  apiKeysTable: 'API_KEYS_TABLE',
  idempotencyKeysTable: 'IDEMPOTENCY_KEYS_TABLE',
  keyPrefix: 'KEY_PREFIX',
  readShards: 'READ_SHARDS',
  writeShards: 'WRITE_SHARDS',
} as const

/**
 * The value of a setting.
 *
 * @throws Error if the variable is not set: the deployment is wrong, not the request
 */
export const setting = (name: keyof typeof settings): string => {
  const value = process.env[settings[name]]
  if (!value) throw new Error(`The environment variable ${settings[name]} is not set.`)
  return value
}
