import {
  CreateTableCommand,
  type DescribeTableCommandOutput,
  DynamoDBClient,
  ResourceInUseException,
  waitUntilTableExists,
} from '@aws-sdk/client-dynamodb'
import * as apiKeys from '../../../shared/data/api-keys.ts'
import type { KeyAttribute } from '../../../shared/data/indexes.ts'
import { type TableId, tableIds, tableName, tables } from '../../../shared/data/tables.ts'
import { CommandError, timeouts } from '../../command-line.ts'
import { storedLocalApiKey } from './local-api-key.ts'
import { useDatabase } from './local-database.ts'

/**
 * Lets this process use a DynamoDB, which then has the tables and the local API key. Throws a
 * CommandError if a table lacks an index.
 */
export const createTables = async (endpoint: string): Promise<void> => {
  useDatabase(endpoint)
  const client = new DynamoDBClient(timeouts)
  await Promise.all(tableIds.map((id) => createTable(client, id)))
  client.destroy()
  await apiKeys.put(storedLocalApiKey)
}

/** Creates a table, unless it exists. Refuses one that lacks an index, which cannot be added. */
const createTable = async (client: DynamoDBClient, id: TableId): Promise<void> => {
  const TableName = tableName(id)
  const { partitionKey, indexes } = tables[id]
  const GlobalSecondaryIndexes = Object.entries(indexes).map(([IndexName, partition]) => ({
    IndexName,
    KeySchema: [key(partition, 'HASH'), key(partitionKey, 'RANGE')],
    Projection: { ProjectionType: 'ALL' as const },
  }))
  const definition = new CreateTableCommand({
    TableName,
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: [partitionKey, ...Object.values(indexes)].map(({ name, type }) => ({
      AttributeName: name,
      AttributeType: type,
    })),
    KeySchema: [key(partitionKey, 'HASH')],
    ...(GlobalSecondaryIndexes.length > 0 && { GlobalSecondaryIndexes }),
  })
  await client.send(definition).catch((error) => {
    if (!(error instanceof ResourceInUseException)) throw error
  })
  const { reason } = await waitUntilTableExists({ client, ...WAIT }, { TableName })
  const { Table }: DescribeTableCommandOutput = reason // The last response.
  const found = Table?.GlobalSecondaryIndexes
  const missing = Object.keys(indexes).find(
    (index) => !found?.some(({ IndexName }) => IndexName === index),
  )
  if (missing)
    throw new CommandError(
      `${TableName} lacks the index ${missing}. Start again with an empty database, or use the ` +
        'commit that made this one.',
    )
}

const key = ({ name }: KeyAttribute, KeyType: 'HASH' | 'RANGE') => ({
  AttributeName: name,
  KeyType,
})

/** How long to wait for a table, in seconds. */
const WAIT = { maxWaitTime: 60, minDelay: 0.02, maxDelay: 0.02 }
