import {
  CreateTableCommand,
  DynamoDBClient,
  ResourceInUseException,
  type TableDescription,
  UpdateTableCommand,
  waitUntilTableExists,
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
  await client.send(create).catch((error) => {
    // It exists, or another process is creating it.
    if (!(error instanceof ResourceInUseException)) throw error
  })
  const { reason } = await waitUntilTableExists({ client, ...EAGERLY }, { TableName })
  const { GlobalSecondaryIndexes: existing = [] }: TableDescription = reason.Table
  for (const [name, partition] of Object.entries(indexes)) {
    if (existing.some(({ IndexName }) => IndexName === name)) continue
    // One at a time, as DynamoDB requires it.
    const update = new UpdateTableCommand({
      TableName,
      AttributeDefinitions: definitions([partitionKey, partition]),
      GlobalSecondaryIndexUpdates: [{ Create: index(name, partition, partitionKey) }],
    })
    const { TableDescription: table } = await client.send(update)
    const added = table?.GlobalSecondaryIndexes?.find(({ IndexName }) => IndexName === name)
    console.info(
      `The table ${TableName} has a new index, ${name}, with ${added?.ItemCount} of its ${table?.ItemCount} items.`,
    )
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
