import type {
  CreateGlobalSecondaryIndexAction,
  TableDescription,
  UpdateTableInput,
} from '@aws-sdk/client-dynamodb'
import {
  apiAction,
  indexPrefix,
  indexWrites,
  itemPrefix,
  type Store,
  validationError,
  type Write,
} from './dynalite.ts'

/** The body of a request, as the SDK sends it. */
export type TableUpdate = Partial<UpdateTableInput>

type InTurn = (task: () => Promise<void>) => Promise<void>

/** DynamoDB's `UpdateTable`, for a new index of all attributes. As there, it is made later. */
export const updateTable = async (
  store: Store,
  body: TableUpdate,
  inTurn: InTurn,
): Promise<object> => {
  const index = body.GlobalSecondaryIndexUpdates?.[0]?.Create
  if (!index) throw validationError('The embedded database can only add an index to a table.')
  const { TableName } = body
  await describeTable.run(store, describeTable.parse(store, { TableName }))
  // An error of the disk ends the process.
  inTurn(() => addIndex(store, body, index))
  return {}
}

const describeTable = apiAction('DescribeTable')

/**
 * Adds an index with the items whose stored attributes put them there. The description of the table
 * is written last: if this process is killed before, the table is without the index, as it was.
 */
const addIndex = async (
  store: Store,
  { TableName = '', AttributeDefinitions = [] }: TableUpdate,
  index: CreateGlobalSecondaryIndexAction,
): Promise<void> => {
  const tableKey = `table~${TableName}`
  const found: TableDescription = { ...(await store.db.get(tableKey)) }
  const { AttributeDefinitions: attributes = [], GlobalSecondaryIndexes: indexes = [] } = found
  if (indexes.some(({ IndexName }) => IndexName === index.IndexName)) return
  const known = attributes.map(({ AttributeName }) => AttributeName)
  const added = AttributeDefinitions.filter(({ AttributeName }) => !known.includes(AttributeName))
  const table = { ...found, AttributeDefinitions: [...attributes, ...added] }

  // Left by a process that was killed, perhaps of items that have changed since.
  await store.db.clear(keysWith(indexPrefix(TableName, `${index.IndexName}`)))
  let [ItemCount, entries] = [0, 0]
  let batch: Write[] = []
  for await (const item of store.db.values(keysWith(itemPrefix(TableName)))) {
    const writes = indexWrites(table, index, item)
    ItemCount++
    entries += writes.length
    batch.push(...writes)
    if (batch.length < BATCH) continue
    await store.db.batch(batch)
    batch = []
  }
  const newIndex = { ...index, IndexStatus: 'ACTIVE', ItemCount: entries }
  const value = { ...table, ItemCount, GlobalSecondaryIndexes: [...indexes, newIndex] }
  await store.db.batch([...batch, { type: 'put', key: tableKey, value }])
}

// Items that are held in memory, of up to 400 KB each.
const BATCH = 100

/** All keys with a prefix: what follows it begins with a hexadecimal digit. */
const keysWith = (prefix: string) => ({ gte: prefix, lt: `${prefix}~` })
