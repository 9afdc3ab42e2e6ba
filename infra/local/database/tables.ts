import {
  CreateTableCommand,
  DeleteTableCommand,
  DescribeTableCommand,
  DynamoDBClient,
  ResourceInUseException,
  ResourceNotFoundException,
  type TableDescription,
  waitUntilTableExists,
  waitUntilTableNotExists,
} from '@aws-sdk/client-dynamodb'
import {
  type KeyAttribute,
  type Table,
  tableIds,
  tableName,
  tables,
} from '../../../shared/data/tables.ts'
import { CommandError, timeouts } from '../../command-line.ts'

/**
 * Creates the tables that are missing. In memory, all are made anew if one is missing or lacks an
 * index. Elsewhere, this throws a CommandError if one lacks an index. Returns whether all are new.
 */
export const createTables = async (isInMemory: boolean): Promise<boolean> => {
  const client = new DynamoDBClient(timeouts)
  try {
    const areNew = isInMemory && !(await areComplete(client))
    if (areNew) await Promise.all(tableIds.map((id) => deleteTable(client, tableName(id))))
    await Promise.all(tableIds.map((id) => createTable(client, tableName(id), tables[id])))
    return areNew
  } finally {
    client.destroy()
  }
}

const areComplete = async (client: DynamoDBClient): Promise<boolean> => {
  const found = await Promise.all(
    tableIds.map(async (id) => {
      const describe = new DescribeTableCommand({ TableName: tableName(id) })
      const { Table } = await client.send(describe).catch(unlessMissing)
      return Table !== undefined && missingIndex(Table, tables[id]) === undefined
    }),
  )
  return !found.includes(false)
}

const deleteTable = async (client: DynamoDBClient, TableName: string): Promise<void> => {
  await client.send(new DeleteTableCommand({ TableName })).catch(unlessMissing)
  await waitUntilTableNotExists({ client, ...EAGERLY }, { TableName })
}

const unlessMissing = (error: unknown): { Table?: undefined } => {
  if (error instanceof ResourceNotFoundException) return {}
  throw error
}

const createTable = async (
  client: DynamoDBClient,
  TableName: string,
  definition: Table,
): Promise<void> => {
  const { partitionKey, indexes } = definition
  const all = Object.entries(indexes).map(([name, partition]) =>
    index(name, partition, partitionKey),
  )
  const create = new CreateTableCommand({
    TableName,
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: definitions([partitionKey, ...Object.values(indexes)]),
    KeySchema: [key(partitionKey, 'HASH')],
    ...(all.length > 0 && { GlobalSecondaryIndexes: all }),
  })
  await client.send(create).catch((error) => {
    // It exists, or another process is creating it.
    if (!(error instanceof ResourceInUseException)) throw error
  })
  const { reason } = await waitUntilTableExists({ client, ...EAGERLY }, { TableName })
  const missing = missingIndex(reason.Table, definition)
  if (missing)
    throw new CommandError(
      `The table ${TableName} lacks the index ${missing}: another version of this service made it. ` +
        'Use that version, or an empty database.',
    )
}

/** The name of an index that a table lacks. */
const missingIndex = (
  { GlobalSecondaryIndexes: existing = [] }: TableDescription,
  { indexes }: Table,
): string | undefined =>
  Object.keys(indexes).find((name) => !existing.some(({ IndexName }) => IndexName === name))

/** How long to wait for a table, in seconds. */
const EAGERLY = { maxWaitTime: 60, minDelay: 0.02, maxDelay: 0.02 }

const definitions = (attributes: KeyAttribute[]) =>
  attributes.map(({ name, type }) => ({ AttributeName: name, AttributeType: type }))

const index = (IndexName: string, partition: KeyAttribute, sort: KeyAttribute) => ({
  IndexName,
  KeySchema: [key(partition, 'HASH'), key(sort, 'RANGE')],
  Projection: { ProjectionType: 'ALL' as const },
})

const key = ({ name }: KeyAttribute, KeyType: 'HASH' | 'RANGE') => ({
  AttributeName: name,
  KeyType,
})
