import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { DynamoDBDocumentClient, GetCommand, PutCommand, ScanCommand } from '@aws-sdk/lib-dynamodb'
import { openDatabase } from '../../infra/local/database.ts'
import { setting } from '../../shared/data/tables.ts'
import { digestOf, newApiKey } from '../../shared/model/api-key.ts'

// Each test file that imports this has a database of its own. What is here goes past all proxies and all faults.
await openDatabase()

/** The address of the database itself. */
export const endpoint = process.env.AWS_ENDPOINT_URL_DYNAMODB ?? ''

const direct = DynamoDBDocumentClient.from(new DynamoDBClient({ endpoint }))

export type Item = Record<string, unknown> & { id: number; name: string }

/** All pets that are stored. */
export const storedPets = async (): Promise<Item[]> => {
  const { Items = [] } = await direct.send(new ScanCommand({ TableName: setting('petsTable') }))
  return Items as Item[] // The document client types every item as `any`.
}

/** Stores a pet of somebody else's under this id, unless one is there, and tells whether it did. */
export const storeAnother = async (id: number): Promise<boolean> => {
  const [there] = await storedUnder([id])
  if (!there)
    await storePet({ id, name: 'Another', categoryId: 1, status: 'sold', statusShard: 'sold#0', creation: 'x' })
  return !there
}

/** Stores a pet as it is. */
export const storePet = (Item: Item) => direct.send(new PutCommand({ TableName: setting('petsTable'), Item }))

/** A new API key of a client. */
export const newKeyOf = async (clientId: string): Promise<string> => {
  const key = newApiKey('local')
  const Item = { digest: digestOf(key), keyId: `key-of-${clientId}`, clientId, name: clientId, createdAt: '2026-11-20' }
  await direct.send(new PutCommand({ TableName: setting('apiKeysTable'), Item }))
  return key
}

/** The pets that are stored under some ids. */
export const storedUnder = async (ids: number[]): Promise<Item[]> => {
  const TableName = setting('petsTable')
  const read = await Promise.all(ids.map((id) => direct.send(new GetCommand({ TableName, Key: { id } }))))
  return read.flatMap(({ Item }) => (Item ? [Item as Item] : [])) // As above.
}
