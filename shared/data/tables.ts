/**
 * What a function is told by its environment. The names stand here alone: for the functions, which read them, and for
 * the stack, the local server and the tests, which set them. (`AWS_ENDPOINT_URL_DYNAMODB` and `AWS_REGION` belong to
 * the AWS SDK.)
 */
export const settings = {
  petsTable: 'PETS_TABLE',
  apiKeysTable: 'API_KEYS_TABLE',
  idempotencyKeysTable: 'IDEMPOTENCY_KEYS_TABLE',
  keyPrefix: 'KEY_PREFIX',
  readShards: 'READ_SHARDS',
  writeShards: 'WRITE_SHARDS',
} as const

/** The value of a setting. Throws where it is not set: then the deployment is wrong, not the request. */
export const setting = (name: keyof typeof settings): string => {
  const value = process.env[settings[name]]
  if (!value) throw new Error(`The environment variable ${settings[name]} is not set.`)
  return value
}

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
