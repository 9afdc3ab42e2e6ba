import {
  CreateTableCommand,
  type CreateTableInput,
  DeleteTableCommand,
  DynamoDBClient,
  ResourceInUseException,
  type TableDescription,
  waitUntilTableExists,
  waitUntilTableNotExists,
} from '@aws-sdk/client-dynamodb'
import * as apiKeys from '../../../shared/data/api-keys.ts'
import type { KeyAttribute } from '../../../shared/data/indexes.ts'
import { type Table, tableIds, tableName, tables } from '../../../shared/data/tables.ts'
import { CommandError, timeouts } from '../../command-line.ts'
import { storedLocalApiKey } from './credentials.ts'
import { type Address, useDatabase } from './database.ts'

/**
 * Lets this process use a DynamoDB, which then has the tables and the local API key. Returns
 * whether it is in memory and the tables are new. Throws a CommandError if it cannot be used.
 */
export const prepareDatabase = async (address: Address): Promise<boolean> => {
  useDatabase(address)
  try {
    const isNew = await createTables(address.isInMemory ?? false)
    await apiKeys.put(storedLocalApiKey)
    return isNew
  } catch (error) {
    throw address.isNamed && error instanceof Error ? namedError(address, error) : error
  }
}

const namedError = ({ endpoint }: Address, error: Error): CommandError => {
  if (error instanceof CommandError) return error
  return new CommandError(
    `Cannot use the DynamoDB at ${endpoint}, which AWS_ENDPOINT_URL_DYNAMODB names: ` +
      `${error.message || error.name}. Start it, or unset the variable to use the embedded one.`,
  )
}

/**
 * Creates the tables that are missing. In memory, all are made anew if one was missing or lacks an
 * index. Elsewhere, this throws a CommandError if one lacks an index. Returns whether all are in
 * memory and new.
 */
const createTables = async (isInMemory: boolean): Promise<boolean> => {
  const client = new DynamoDBClient(timeouts)
  try {
    const found = await createMissing(client)
    const outdated = found.find(({ missingIndex }) => missingIndex)
    if (outdated && !isInMemory) throw outdatedError(outdated)
    const isChanged = outdated || found.some(({ isNew }) => isNew)
    if (!isChanged || !isInMemory) return false
    if (found.every(({ isNew }) => isNew)) return true
    await Promise.all(found.map(({ name }) => deleteTable(client, name)))
    await createMissing(client)
    return true
  } finally {
    client.destroy()
  }
}

type Created = { name: string; isNew: boolean; missingIndex: string | undefined }

const outdatedError = ({ name, missingIndex }: Created) =>
  new CommandError(
    `The table ${name} lacks the index ${missingIndex}: another version of this service made it. ` +
      'Use that version, or an empty database.',
  )

const createMissing = (client: DynamoDBClient): Promise<Created[]> =>
  Promise.all(tableIds.map((id) => createTable(client, tableName(id), tables[id])))

const deleteTable = async (client: DynamoDBClient, TableName: string): Promise<void> => {
  await client.send(new DeleteTableCommand({ TableName }))
  await waitUntilTableNotExists({ client, ...EAGERLY }, { TableName })
}

/** Creates a table, unless it exists. */
const createTable = async (
  client: DynamoDBClient,
  name: string,
  { partitionKey, indexes }: Table,
): Promise<Created> => {
  const all = Object.entries(indexes).map(([name, partition]) =>
    index(name, partition, partitionKey),
  )
  const isNew = await isCreated(client, {
    TableName: name,
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: definitions([partitionKey, ...Object.values(indexes)]),
    KeySchema: [key(partitionKey, 'HASH')],
    ...(all.length > 0 && { GlobalSecondaryIndexes: all }),
  })
  const { reason } = await waitUntilTableExists({ client, ...EAGERLY }, { TableName: name })
  const { GlobalSecondaryIndexes: existing = [] }: TableDescription = reason.Table
  const existingNames = existing.map(({ IndexName }) => IndexName)
  const missingIndex = Object.keys(indexes).find((index) => !existingNames.includes(index))
  return { name, isNew, missingIndex }
}

/** Returns false if the table exists, or another process is creating it. */
const isCreated = async (client: DynamoDBClient, table: CreateTableInput): Promise<boolean> => {
  try {
    await client.send(new CreateTableCommand(table))
    return true
  } catch (error) {
    if (error instanceof ResourceInUseException) return false
    throw error
  }
}

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
