import { setTimeout as pause } from 'node:timers/promises'
import {
  CreateTableCommand,
  type CreateTableCommandInput,
  DescribeTableCommand,
  DynamoDBClient,
  ResourceInUseException,
  type TableDescription,
} from '@aws-sdk/client-dynamodb'
import {
  type KeyAttribute,
  type Table,
  tableIds,
  tableName,
  tables,
} from '../../../shared/data/tables.ts'
import { CommandError, timeouts } from '../../command-line.ts'

/** Creates the tables that are missing. Throws a CommandError if one lacks an index. */
export const createTables = async (): Promise<void> => {
  const client = new DynamoDBClient(timeouts)
  try {
    await Promise.all(tableIds.map((id) => createTable(client, tableName(id), tables[id])))
  } finally {
    client.destroy()
  }
}

const createTable = async (client: DynamoDBClient, name: string, table: Table): Promise<void> => {
  try {
    await client.send(new CreateTableCommand(definition(name, table)))
  } catch (error) {
    // It exists, or another process is creating it.
    if (!(error instanceof ResourceInUseException)) throw error
  }
  for (;;) {
    const { Table: found = {} } = await client.send(new DescribeTableCommand({ TableName: name }))
    checkIndexes(name, table, found)
    if (isActive(found)) return
    await pause(20)
  }
}

const isActive = ({ TableStatus, GlobalSecondaryIndexes = [] }: TableDescription): boolean =>
  TableStatus === 'ACTIVE' &&
  GlobalSecondaryIndexes.every(({ IndexStatus }) => IndexStatus === 'ACTIVE')

/** A table that exists gets no new index. */
const checkIndexes = (
  name: string,
  table: Table,
  { GlobalSecondaryIndexes = [] }: TableDescription,
): void => {
  const found = GlobalSecondaryIndexes.map(({ IndexName }) => IndexName)
  const missing = Object.keys(table.indexes).filter((index) => !found.includes(index))
  if (missing.length === 0) return
  throw new CommandError(
    `${name} is a table of an earlier version, without the indexes of this one. ` +
      'To start anew, delete the table, or the data folder that it is in.',
  )
}

const definition = (
  TableName: string,
  { partitionKey, indexes }: Table,
): CreateTableCommandInput => {
  const attributes = [partitionKey, ...Object.values(indexes)]
  const GlobalSecondaryIndexes = Object.entries(indexes).map(([IndexName, index]) => ({
    IndexName,
    KeySchema: [key(index, 'HASH'), key(partitionKey, 'RANGE')],
    Projection: { ProjectionType: 'ALL' as const },
  }))
  return {
    TableName,
    BillingMode: 'PAY_PER_REQUEST',
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
