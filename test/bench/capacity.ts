import { type Table, tables } from '../../shared/data/tables.ts'
import type { DynamoDbCall, Item } from './dynamodb.ts'

/**
 * Returns the read units of a call by AWS's rules (DynamoDB Developer Guide, "DynamoDB read and write operations"): one
 * for every 4 KB or part of it that was read, even if nothing was found; half of that for an eventually consistent read.
 */
export const readUnits = ({ operation, request, response }: DynamoDbCall): number => {
  if (operation === 'PutItem') return 0
  const items = response.Items ?? (response.Item ? [response.Item] : [])
  return Math.max(1, Math.ceil(sum(items.map(itemSize)) / 4096)) * (request.ConsistentRead ? 1 : 0.5)
}

/**
 * Returns the write units of a call by AWS's rules (as above, and "Global secondary indexes"): one for every KB or part
 * of it of a new item, in the table and again in each index that holds the item.
 */
export const writeUnits = ({ operation, request }: DynamoDbCall): number => {
  if (operation === 'GetItem' || operation === 'Query') return 0
  if (operation !== 'PutItem') throw new Error(`The capacity units of ${operation} are not known.`)
  const { Item = {} } = request
  const indexes = Object.values(tableOf(request.TableName).indexes).filter(
    ({ partitionKey, sortKey }) => partitionKey.name in Item && sortKey.name in Item,
  )
  return Math.ceil(itemSize(Item) / 1024) * (1 + indexes.length)
}

/** Returns the bytes of an item (DynamoDB Developer Guide, "Item sizes and formats"). */
const itemSize = (item: Item): number =>
  sum(Object.entries(item).map(([name, value]) => Buffer.byteLength(name) + valueSize(value)))

const valueSize = (value: Item[string]): number => {
  if ('S' in value) return Buffer.byteLength(value.S)
  const digits = value.N.replace(/\D/g, '').replace(/^0+|0+$/g, '') // The service stores only integers.
  return Math.ceil(digits.length / 2) + 1
}

const tableOf = (name: string): Table => {
  if (name in tables) return tables[name as keyof typeof tables]
  throw new Error(`There is no table ${name}.`)
}

export const sum = (numbers: number[]): number => numbers.reduce((total, each) => total + each, 0)
