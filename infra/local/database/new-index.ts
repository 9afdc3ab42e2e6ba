import type { TableDescription, UpdateTableInput } from '@aws-sdk/client-dynamodb'
import { indexEntries, indexPrefix, itemPrefix, type Store, type Write } from './dynalite.ts'

// Items of up to 400 KB, all of which are in memory.
const BATCH = 100

/**
 * Adds one index, with the items whose attributes put them there. The description of the table is
 * written last: a process that is killed before leaves no new index. Throws a TypeError for any
 * other update.
 */
export const addIndex = async (store: Store, body: Partial<UpdateTableInput>): Promise<object> => {
  const { TableName = '', AttributeDefinitions = [], GlobalSecondaryIndexUpdates } = body
  const { Create: index } = GlobalSecondaryIndexUpdates?.[0] ?? {}
  const tableKey = `table~${TableName}`
  const found: TableDescription = { ...(await store.db.get(tableKey)) }
  const { AttributeDefinitions: attributes, GlobalSecondaryIndexes: indexes = [] } = found
  if (!index || !attributes) throw new TypeError('UpdateTable can only add an index to a table.')
  if (indexes.some(({ IndexName }) => IndexName === index.IndexName))
    return { TableDescription: found }
  const known = attributes.map(({ AttributeName }) => AttributeName)
  const added = AttributeDefinitions.filter(({ AttributeName }) => !known.includes(AttributeName))
  const table = { ...found, AttributeDefinitions: [...attributes, ...added] }

  const prefix = indexPrefix(TableName, `${index.IndexName}`)
  // Entries of a process that was killed: their items may have changed since.
  await store.db.clear(keysWith(prefix))
  let ItemCount = 0
  let indexed = 0
  let batch: Write[] = []
  for await (const item of store.db.values(keysWith(itemPrefix(TableName)))) {
    const entries = indexEntries(table, index, item)
    ItemCount++
    indexed += entries.length
    for (const { key, item } of entries) batch.push({ type: 'put', key: prefix + key, value: item })
    if (batch.length < BATCH) continue
    await store.db.batch(batch)
    batch = []
  }
  const newIndex = { ...index, IndexStatus: 'ACTIVE', ItemCount: indexed }
  const value = { ...table, ItemCount, GlobalSecondaryIndexes: [...indexes, newIndex] }
  await store.db.batch([...batch, { type: 'put', key: tableKey, value }])
  return { TableDescription: value }
}

/** All keys with a prefix, after which they have a hexadecimal digit. */
const keysWith = (prefix: string) => ({ gte: prefix, lt: `${prefix}~` })
