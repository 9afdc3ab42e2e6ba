import { setTimeout as pause } from 'node:timers/promises'
import {
  CreateTableCommand,
  type CreateTableCommandInput,
  DescribeTableCommand,
  DynamoDBClient,
  ResourceInUseException,
  ResourceNotFoundException,
} from '@aws-sdk/client-dynamodb'
import { type KeyAttribute, setting, type Table, tables } from '../../shared/data/tables.ts'

/**
 * Makes the tables that are absent in the database that the environment names, and waits until all can be used. For
 * databases on a developer's machine; in AWS, the stack makes them, from the same definitions.
 */
export const createTables = async (): Promise<void> => {
  const client = new DynamoDBClient()
  try {
    await Promise.all(Object.values(tables).map((table) => createTable(client, table)))
  } finally {
    client.destroy()
  }
}

const createTable = async (client: DynamoDBClient, table: Table): Promise<void> => {
  const TableName = setting(table.setting)
  try {
    while (!(await isActive(client, TableName))) await pause(20)
  } catch (error) {
    if (!(error instanceof ResourceNotFoundException)) throw error
    await client.send(new CreateTableCommand(definition(TableName, table))).catch((failure) => {
      if (!(failure instanceof ResourceInUseException)) throw failure // Another process was faster.
    })
    while (!(await isActive(client, TableName))) await pause(20)
  }
}

const isActive = async (client: DynamoDBClient, TableName: string): Promise<boolean> => {
  const { Table } = await client.send(new DescribeTableCommand({ TableName }))
  const parts = [Table?.TableStatus, ...(Table?.GlobalSecondaryIndexes ?? []).map(({ IndexStatus }) => IndexStatus)]
  return parts.every((status) => status === 'ACTIVE')
}

const definition = (TableName: string, { partitionKey, indexes }: Table): CreateTableCommandInput => {
  const attributes = [partitionKey, ...Object.values(indexes).flatMap((index) => [index.partitionKey, index.sortKey])]
  const named = new Map(attributes.map((attribute) => [attribute.name, attribute]))
  const GlobalSecondaryIndexes = Object.entries(indexes).map(([IndexName, index]) => ({
    IndexName,
    KeySchema: [key(index.partitionKey, 'HASH'), key(index.sortKey, 'RANGE')],
    Projection: { ProjectionType: 'ALL' as const },
  }))
  return {
    TableName,
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: [...named.values()].map(({ name, type }) => ({ AttributeName: name, AttributeType: type })),
    KeySchema: [key(partitionKey, 'HASH')],
    ...(GlobalSecondaryIndexes.length > 0 && { GlobalSecondaryIndexes }),
  }
}

const key = ({ name }: KeyAttribute, KeyType: 'HASH' | 'RANGE') => ({ AttributeName: name, KeyType })
