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
export const createTables = async (): Promise<void> => {
  const client = new DynamoDBClient(timeouts)
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
  const all = Object.entries(indexes).map(([IndexName, index]) => ({
    IndexName,
    KeySchema: [key(index, 'HASH'), key(partitionKey, 'RANGE')],
    Projection: { ProjectionType: 'ALL' as const },
  }))
  const AttributeDefinitions = [partitionKey, ...Object.values(indexes)].map(({ name, type }) => ({
    AttributeName: name,
    AttributeType: type,
  }))
  const create = new CreateTableCommand({
    TableName,
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions,
    KeySchema: [key(partitionKey, 'HASH')],
    ...(all.length > 0 && { GlobalSecondaryIndexes: all }),
  })
  await client.send(create).catch(ignoreInUse)
  let table = await activeTable(client, TableName)
  // One after the other, as DynamoDB requires it.
  for (const index of all) {
    if (findIndex(table, index.IndexName)) continue
    const GlobalSecondaryIndexUpdates = [{ Create: index }]
    const update = { TableName, AttributeDefinitions, GlobalSecondaryIndexUpdates }
    await client.send(new UpdateTableCommand(update)).catch(ignoreInUse)
    table = await activeTable(client, TableName, index.IndexName)
    const { ItemCount } = findIndex(table, index.IndexName) ?? {}
    console.info(
      `The table ${TableName} has a new index, ${index.IndexName}, with ${ItemCount} of its ${table.ItemCount} items.`,
    )
  }
}

/** It exists, or another process is creating it. */
const ignoreInUse = (error: unknown): void => {
  if (!(error instanceof ResourceInUseException)) throw error
}

/** Waits until a table can be used, with all of its indexes, and with a new one. */
const activeTable = async (
  client: DynamoDBClient,
  TableName: string,
  newIndex?: string,
): Promise<TableDescription> => {
  for (;;) {
    const { Table = {} } = await client.send(new DescribeTableCommand({ TableName }))
    const { TableStatus, GlobalSecondaryIndexes = [] } = Table
    const statuses = [TableStatus, ...GlobalSecondaryIndexes.map(({ IndexStatus }) => IndexStatus)]
    const isComplete = newIndex === undefined || findIndex(Table, newIndex)
    if (isComplete && statuses.every((status) => status === 'ACTIVE')) return Table
    await pause(20)
  }
}

const findIndex = ({ GlobalSecondaryIndexes = [] }: TableDescription, name: string) =>
  GlobalSecondaryIndexes.find(({ IndexName }) => IndexName === name)

const key = ({ name }: KeyAttribute, KeyType: 'HASH' | 'RANGE') => ({
  AttributeName: name,
  KeyType,
})
