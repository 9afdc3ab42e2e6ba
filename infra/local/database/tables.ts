import { setTimeout as pause } from 'node:timers/promises'
import {
  CreateTableCommand,
  DescribeTableCommand,
  DynamoDBClient,
  ResourceInUseException,
  type TableDescription,
  UpdateTableCommand,
} from '@aws-sdk/client-dynamodb'
import {
  type KeyAttribute,
  type Table,
  tableIds,
  tableName,
  tables,
} from '../../../shared/data/tables.ts'
import { timeouts } from '../../command-line.ts'

/** Creates the tables that are missing, and the indexes that tables of earlier versions lack. */
export const createTables = async (isEmbedded: boolean): Promise<void> => {
  // The embedded database makes an index while the request waits.
  const client = new DynamoDBClient(isEmbedded ? {} : timeouts)
  try {
    await Promise.all(tableIds.map((id) => createTable(client, tableName(id), tables[id])))
  } finally {
    client.destroy()
  }
}

const createTable = async (
  client: DynamoDBClient,
  TableName: string,
  { partitionKey, indexes }: Table,
): Promise<void> => {
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
  await client.send(create).catch(ignoreInUse)
  const before = await activeTable(client, TableName)
  for (const [name, partition] of Object.entries(indexes)) {
    if (findIndex(before, name)) continue
    // One at a time, as DynamoDB requires it.
    const update = new UpdateTableCommand({
      TableName,
      AttributeDefinitions: definitions([partitionKey, partition]),
      GlobalSecondaryIndexUpdates: [{ Create: index(name, partition, partitionKey) }],
    })
    await client.send(update).catch(ignoreInUse)
    const table = await activeTable(client, TableName)
    const items = findIndex(table, name)?.ItemCount
    console.info(
      `The table ${TableName} has a new index, ${name}, with ${items} of its ${table.ItemCount} items.`,
    )
  }
}

/** It exists, or another process is creating it. */
const ignoreInUse = (error: unknown): void => {
  if (!(error instanceof ResourceInUseException)) throw error
}

/** Waits until a table and its indexes can be used. */
const activeTable = async (client: DynamoDBClient, TableName: string) => {
  for (;;) {
    const { Table = {} } = await client.send(new DescribeTableCommand({ TableName }))
    const { TableStatus, GlobalSecondaryIndexes = [] } = Table
    const statuses = GlobalSecondaryIndexes.map(({ IndexStatus }) => IndexStatus)
    if ([TableStatus, ...statuses].every((status) => status === 'ACTIVE')) return Table
    await pause(20)
  }
}

const findIndex = ({ GlobalSecondaryIndexes = [] }: TableDescription, name: string) =>
  GlobalSecondaryIndexes.find(({ IndexName }) => IndexName === name)

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
