import {
  CreateTableCommand,
  DeleteTableCommand,
  DescribeTableCommand,
  DynamoDBClient,
  ResourceInUseException,
  ResourceNotFoundException,
  waitUntilTableExists,
  waitUntilTableNotExists,
} from '@aws-sdk/client-dynamodb'
import * as apiKeys from '../../../shared/data/api-keys.ts'
import type { KeyAttribute } from '../../../shared/data/indexes.ts'
import {
  type Table,
  type TableId,
  tableIds,
  tableName,
  tables,
} from '../../../shared/data/tables.ts'
import { CommandError, timeouts } from '../../command-line.ts'
import { storedLocalApiKey } from './local-api-key.ts'
import { type LocalDatabase, useDatabase } from './local-database.ts'

/**
 * Lets this process use a DynamoDB, which then has the tables and the local API key. Returns
 * whether it is in memory and the tables are new. Throws a CommandError if it cannot be used.
 */
export const prepareDatabase = async (database: LocalDatabase): Promise<boolean> => {
  useDatabase(database)
  const client = new DynamoDBClient(timeouts)
  try {
    const isNew = await createTables(client, database)
    await apiKeys.put(storedLocalApiKey)
    return isNew
  } catch (error) {
    throw database.kind === 'named' ? namedError(database.endpoint, error) : error
  } finally {
    client.destroy()
  }
}

const namedError = (endpoint: string, error: unknown): unknown => {
  if (!(error instanceof Error) || error instanceof CommandError) return error
  return new CommandError(
    `Cannot use the DynamoDB at ${endpoint}, which AWS_ENDPOINT_URL_DYNAMODB names: ` +
      `${error.message || error.name}. Start it, or unset the variable to use the embedded one.`,
  )
}

/**
 * Creates the tables that are missing. If a table or an index is missing in memory, it recreates
 * all tables and returns true. Elsewhere, it throws a CommandError if a table lacks an index.
 */
const createTables = async (client: DynamoDBClient, database: LocalDatabase): Promise<boolean> => {
  const isInMemory = database.kind === 'embedded' && database.folder === undefined
  const found = await Promise.all(tableIds.map((id) => describeTable(client, id)))
  const existing = found.filter(({ exists }) => exists)
  const stale = existing.find(({ missingIndex }) => missingIndex)
  if (stale && !isInMemory)
    throw new CommandError(
      `The table ${stale.name} lacks the index ${stale.missingIndex}. Use the commit that made ` +
        `it, or ${database.kind === 'embedded' ? 'a new folder' : 'an empty database'}.`,
    )
  const isNew = isInMemory && (stale !== undefined || existing.length < found.length)
  if (isNew) await Promise.all(existing.map(({ name }) => deleteTable(client, name)))
  await Promise.all(tableIds.map((id) => createTable(client, id)))
  return isNew
}

/** Whether a table exists, and an index that it lacks. */
const describeTable = async (client: DynamoDBClient, id: TableId) => {
  const name = tableName(id)
  try {
    const { Table } = await client.send(new DescribeTableCommand({ TableName: name }))
    const indexes = Table?.GlobalSecondaryIndexes?.map(({ IndexName }) => IndexName) ?? []
    const missingIndex = Object.keys(tables[id].indexes).find((index) => !indexes.includes(index))
    return { name, exists: true, missingIndex }
  } catch (error) {
    if (error instanceof ResourceNotFoundException) return { name, exists: false }
    throw error
  }
}

const deleteTable = async (client: DynamoDBClient, TableName: string): Promise<void> => {
  await client.send(new DeleteTableCommand({ TableName }))
  await waitUntilTableNotExists({ client, ...WAIT }, { TableName })
}

/** Creates a table, unless it exists or another process creates it. */
const createTable = async (client: DynamoDBClient, id: TableId): Promise<void> => {
  const TableName = tableName(id)
  const definition = {
    TableName,
    BillingMode: 'PAY_PER_REQUEST',
    ...keySchemas(tables[id]),
  } as const
  await client.send(new CreateTableCommand(definition)).catch((error) => {
    if (!(error instanceof ResourceInUseException)) throw error
  })
  await waitUntilTableExists({ client, ...WAIT }, { TableName })
}

const keySchemas = ({ partitionKey, indexes }: Table) => {
  const attributes = [partitionKey, ...Object.values(indexes)]
  const GlobalSecondaryIndexes = Object.entries(indexes).map(([IndexName, partition]) => ({
    IndexName,
    KeySchema: [key(partition, 'HASH'), key(partitionKey, 'RANGE')],
    Projection: { ProjectionType: 'ALL' as const },
  }))
  return {
    AttributeDefinitions: attributes.map(({ name, type }) => ({
      AttributeName: name,
      AttributeType: type,
    })),
    KeySchema: [key(partitionKey, 'HASH')],
    ...(GlobalSecondaryIndexes.length > 0 && { GlobalSecondaryIndexes }),
  }
}

const key = ({ name }: KeyAttribute, KeyType: 'HASH' | 'RANGE') => ({
  AttributeName: name,
  KeyType,
})

/** How long to wait for a table, in seconds. */
const WAIT = { maxWaitTime: 60, minDelay: 0.02, maxDelay: 0.02 }
