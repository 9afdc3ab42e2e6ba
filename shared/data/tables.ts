import { capitalized, propertyNames } from '../model/names.ts'
import { filters } from '../service.ts'
import { variableValue } from '../settings.ts'
import { filterIndex, type KeyAttribute, NEWEST } from './indexes.ts'

/** A table definition. CDK, the local database and the tests create their tables from it. */
export type Table = {
  partitionKey: KeyAttribute
  /** The partition keys of its indexes, by name. Indexes sort by the key of the table. */
  indexes: Readonly<Record<string, KeyAttribute>>
  /** Seconds since 1970. DynamoDB deletes expired items up to two days late. */
  timeToLive?: string
}

/** The collections of the service, by the name of their table. */
export type CollectionId = keyof typeof filters

/** A table with an index of all items, and one for each field to filter by. */
const collectionTable = (fields: readonly string[]): Table => {
  const indexes = [NEWEST, ...fields.map(filterIndex)]
  const partitionKeys = indexes.map(({ name, partitionKey }) => [name, partitionKey])
  return { partitionKey: { name: 'id', type: 'N' }, indexes: Object.fromEntries(partitionKeys) }
}

const collectionTables = Object.fromEntries(
  Object.entries(filters).map(([id, fields]) => [id, collectionTable(fields)]),
) as Record<CollectionId, Table> // `Object.fromEntries` loses the keys.

/** The definitions of all tables, by id. */
export const tables = {
  ...collectionTables,
  apiKeys: { partitionKey: { name: 'digest', type: 'S' }, indexes: {}, timeToLive: 'expiresAt' },
  idempotencyKeys: {
    // The digest of a key. Its name stays, because a renamed key would replace the table.
    partitionKey: { name: 'intent', type: 'S' },
    indexes: {},
    timeToLive: 'expiresAt',
  },
} satisfies Record<string, Table>

export type TableId = keyof typeof tables

export const tableIds = propertyNames(tables)

/** The environment variable that holds the name of a table, such as `API_KEYS_TABLE`. */
export const tableVariable = (id: TableId): string =>
  `${id.replace(/[A-Z]/g, '_$&').toUpperCase()}_TABLE`

/** The output of a stack that has the name of a table, such as `ApiKeysTable`. */
export const tableOutput = (id: TableId): string => `${capitalized(id)}Table`

/** The name of a table in this deployment. Throws an Error if its variable is not set. */
export const tableName = (id: TableId): string => variableValue(tableVariable(id))

/** What a function may do with the items of a table. A page of a list needs `list`. */
export type Permission = 'list' | 'read' | 'create' | 'change' | 'remove'

/** The permissions of a function, by table, on a laptop too. */
export type Access = { readonly [Id in TableId]?: Permission | readonly Permission[] }
