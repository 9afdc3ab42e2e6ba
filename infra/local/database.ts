import { setTimeout as pause } from 'node:timers/promises'
import {
  CreateTableCommand,
  type CreateTableCommandInput,
  DescribeTableCommand,
  DynamoDBClient,
  ResourceInUseException,
} from '@aws-sdk/client-dynamodb'
import { PutCommand } from '@aws-sdk/lib-dynamodb'
import * as v from 'valibot'
import * as apiKeys from '../../shared/data/api-keys.ts'
import { dynamodb } from '../../shared/data/dynamodb.ts'
import { type KeyAttribute, type Table, tableIds, tableName, tables, tableVariable } from '../../shared/data/tables.ts'
import { Pet, type PetStatus } from '../../shared/pets/pet.ts'
import { pets } from '../../shared/pets/pets.ts'
import { service } from '../../shared/service.ts'
import { settings } from '../../shared/settings.ts'
import { CommandError } from '../command-line.ts'
import { placeholders, storedLocalApiKey } from './credentials.ts'

/**
 * Opens a DynamoDB for this process: the `endpoint`, or an embedded one that keeps its data in `folder`, or in memory.
 * Sets the environment variables that the service reads, creates missing tables, and stores the local API key. The
 * `description` is for the banner. Throws a CommandError if the folder or the endpoint cannot be used.
 */
export const openDatabase = async (folder?: string, endpoint?: string) => {
  if (endpoint) {
    await useExternal(endpoint)
    return { description: endpoint, close: async () => {} }
  }
  // Loaded only here, because it takes a fifth of a server's start.
  const { startEmbedded } = await import('./embedded-database.ts')
  const embedded = await startEmbedded(folder)
  // The developer's own AWS settings must neither break the embedded database nor be sent to it.
  delete process.env.AWS_PROFILE
  Object.assign(process.env, placeholders)
  await use(embedded.endpoint)
  return { description: `${embedded.endpoint} (${folder ?? 'in memory'})`, close: embedded.close }
}

/** Adds the same 51 pets each time, with the example of the reference, if there are none. Returns how many it added. */
export const seed = async (): Promise<number> => {
  if ((await pets.list({ limit: 1 })).items.length > 0) return 0
  for (const pet of v.getExamples(Pet)) {
    const Item = { ...pet, shard: 0, statusShard: `${pet.status}#0` } // There is one shard locally.
    await dynamodb.send(new PutCommand({ TableName: tableName('pets'), Item }))
  }
  // One after the other: a list has them in the reverse of this order.
  for (const pet of examples) await pets.create(pet)
  return 1 + examples.length
}

const useExternal = async (endpoint: string): Promise<void> => {
  // The local API key is public, so it must never be stored in a real account.
  const host = URL.canParse(endpoint) ? new URL(endpoint).hostname.replace(/\.$/, '') : ''
  if (/(^|\.)(amazonaws\.(com(\.cn)?|eu)|api\.aws)$/.test(host)) {
    throw new CommandError('AWS_ENDPOINT_URL_DYNAMODB must not be an AWS endpoint: the local API key is public.')
  }
  // The SDK prefers a profile to the placeholders, and the profile may belong to an unrelated account.
  if (!process.env.AWS_ACCESS_KEY_ID) delete process.env.AWS_PROFILE
  Object.assign(process.env, { ...placeholders, ...process.env })
  try {
    await use(endpoint)
  } catch (error) {
    const reason = error instanceof Error ? error.message || error.name : error
    throw new CommandError(`Cannot use the DynamoDB at ${endpoint}: ${reason}`)
  }
}

const use = async (endpoint: string): Promise<void> => {
  Object.assign(process.env, local, { AWS_ENDPOINT_URL_DYNAMODB: endpoint })
  await createTables()
  await apiKeys.put(storedLocalApiKey)
}

const local = {
  ...Object.fromEntries(Object.values(settings).map(({ variable, local }) => [variable, local])),
  ...Object.fromEntries(
    tableIds.map((id) => [tableVariable(id), `${service.stack}Local-${id.charAt(0).toUpperCase()}${id.slice(1)}`]),
  ),
  // The SDK refuses these in combination with an endpoint, and developers may have set them for their accounts.
  AWS_USE_FIPS_ENDPOINT: 'false',
  AWS_USE_DUALSTACK_ENDPOINT: 'false',
}

const createTables = async (): Promise<void> => {
  const client = new DynamoDBClient()
  try {
    await Promise.all(tableIds.map((id) => createTable(client, tableName(id), tables[id])))
  } finally {
    client.destroy()
  }
}

const createTable = async (client: DynamoDBClient, TableName: string, table: Table): Promise<void> => {
  await client.send(new CreateTableCommand(definition(TableName, table))).catch((error) => {
    if (!(error instanceof ResourceInUseException)) throw error // It exists, or another process creates it.
  })
  while (!(await isActive(client, TableName, table))) await pause(20)
}

const isActive = async (client: DynamoDBClient, TableName: string, { indexes }: Table): Promise<boolean> => {
  const { Table } = await client.send(new DescribeTableCommand({ TableName }))
  const found = Table?.GlobalSecondaryIndexes ?? []
  if (!Object.keys(indexes).every((name) => found.some(({ IndexName }) => IndexName === name))) {
    throw new CommandError(
      `${TableName} is a table of an earlier version, without the indexes of this one. ` +
        'To start anew, delete the table, or the data folder that it is in.',
    )
  }
  return [Table?.TableStatus, ...found.map(({ IndexStatus }) => IndexStatus)].every((status) => status === 'ACTIVE')
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

// Of each category, 1 to 5: a dog, a cat, a bird, a rabbit and a fish.
const NAMES = `
  Rex Mia Kiwi Flopsy Nemo Bella Tiger Coco Thumper Bubbles Bruno Cleo Polly Clover Goldie Luna Simba Sunny Snowball Finn
  Max Felix Rio Hazel Dory Daisy Lucy Pepper Cotton Marlin Rocky Oscar Sky Nibbles Coral Nala Minka Mango Bramble Neptune
  Buddy Leo Tweety Poppy Pearl Ruby Misty Jade Oreo Splash`
const STATUSES: PetStatus[] = ['available', 'available', 'sold', 'available', 'pending', 'sold', 'available']

const examples = NAMES.trim()
  .split(/\s+/)
  .map((name, i) => ({ name, categoryId: (i % 5) + 1, status: STATUSES[i % STATUSES.length] }))
