import { settings, type Table, tables } from '../../../shared/data/tables.ts'
import type { Call } from './counting-proxy.ts'
import { type Item, itemSize } from './item-size.ts'
import type { Environment } from './start-database.ts'

/** What calls consume of DynamoDB's capacity. */
export type Units = { read: number; write: number }

/**
 * What a call consumes by AWS's rules (DynamoDB Developer Guide, "DynamoDB read and write operations" and "Global secondary
 * indexes"), of the items that went over the wire. dynalite's own figures will not do: they lack what is written
 * to indexes, and a query that finds nothing is free in them.
 */
export const unitsOf = ({ operation, status, sent, received }: Call, environment: Environment): Units => {
  if (status !== 200) throw new Error(`What a ${operation} costs that is answered with ${status} is not known.`)
  const share = sent.ConsistentRead ? 1 : 0.5
  switch (operation) {
    case 'PutItem':
      return { read: 0, write: writeUnits(sent.Item ?? {}, tableOf(sent.TableName, environment)) }
    case 'GetItem':
      return { read: readUnits(received.Item ? [received.Item] : []) * share, write: 0 }
    case 'Query':
      return { read: readUnits(received.Items ?? []) * share, write: 0 }
    default:
      throw new Error(`What a ${operation} costs is not known.`)
  }
}

/** One for each 4 KB that is started; to find nothing costs as much as to find little. */
const readUnits = (items: Item[]): number =>
  Math.max(1, Math.ceil(items.reduce((size, item) => size + itemSize(item), 0) / 4096))

/** One for each KB that is started, of a new item: in the table, and again in each index that it gets into. */
const writeUnits = (item: Item, { indexes }: Table): number => {
  const into = Object.values(indexes).filter(
    ({ partitionKey, sortKey }) => partitionKey.name in item && sortKey.name in item,
  )
  return Math.ceil(itemSize(item) / 1024) * (1 + into.length)
}

const tableOf = (name: string, environment: Environment): Table => {
  const table = Object.values(tables).find(({ setting }) => environment[settings[setting]] === name)
  if (!table) throw new Error(`There is no table ${name}.`)
  return table
}
