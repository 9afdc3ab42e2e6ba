import { storedLocalApiKey } from '../../../infra/local/announcement.ts'
import { tables } from './tables.ts'

/** A request to DynamoDB, as far as the answer depends on it. */
type Asked = { TableName: string; Key?: Record<string, Record<string, string>>; Limit?: number }

/** The one pet that `GetItem` finds: that of the event `getPet-found`. */
export const PET = { id: 373117652410368, name: 'Rex', categoryId: 7, status: 'available' }

/** What DynamoDB answers: to an operation such as `GetItem`, with that JSON; `undefined` to one that is not known here. */
export const answerTo = (operation: string, asked: Asked): object | undefined => {
  if (operation === 'GetItem') return { Item: itemOf(asked) }
  if (operation === 'PutItem') return {}
  if (operation !== 'Query') return undefined
  const { Limit = 0 } = asked
  const Items = Array.from({ length: Limit }, (_, i) => petItem(PET.id - i * 4096))
  return { Count: Limit, Items, ScannedCount: Limit }
}

const itemOf = ({ TableName, Key = {} }: Asked): object | undefined => {
  if (TableName === tables.API_KEYS_TABLE && Key.digest?.S === storedLocalApiKey.digest) return apiKeyItem
  return TableName === tables.PETS_TABLE && Key.id?.N === `${PET.id}` ? petItem(PET.id) : undefined
}

const petItem = (id: number) => ({
  id: { N: `${id}` },
  name: { S: PET.name },
  categoryId: { N: `${PET.categoryId}` },
  status: { S: PET.status },
  statusShard: { S: `${PET.status}#0` },
  creation: { S: 'f9b4d1a0-6c8e-4b7f-9d55-3c1e2a7b8d90' },
})

const apiKeyItem = Object.fromEntries(Object.entries(storedLocalApiKey).map(([name, text]) => [name, { S: text }]))
