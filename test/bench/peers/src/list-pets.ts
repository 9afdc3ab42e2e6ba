// What the peers share: the work of listPets for one pet with a status. Each brings its own way to reach DynamoDB, or its own framework.
import { createHash } from 'node:crypto'
import type { APIGatewayProxyEvent } from 'aws-lambda'

export type Pet = { id: number; name: string; categoryId: number; status?: string }

/** Reads an API key by its digest, `undefined` when there is none, and the newest pet with a status. */
export type Store = {
  readKey: (digest: string) => Promise<unknown>
  listPets: (status: string) => Promise<Pet[]>
}

export const unauthorized = { status: 401, code: 'unauthorized', message: 'Send an API key.' }

/** A response as API Gateway expects it. */
export const response = (statusCode: number, body: object) => ({
  statusCode,
  headers: { 'Content-Type': 'application/json' },
  body: JSON.stringify(body),
})

/** A handler with no framework. */
export const bareHandler = (store: Store) => async (event: APIGatewayProxyEvent) => {
  if (!(await isKnown(event.headers.Authorization, store.readKey))) return response(401, unauthorized)
  return response(200, await store.listPets(event.queryStringParameters?.status ?? ''))
}

const REMEMBERED_MS = 60_000
const remembered = new Map<string, number>()

/** Tells whether an `Authorization` header has a known API key. Like the service, it remembers a key for a minute. */
export const isKnown = async (header: string | undefined, readKey: Store['readKey']): Promise<boolean> => {
  const [, key] = /^Bearer (\S+)$/.exec(header ?? '') ?? []
  if (!key) return false
  const digest = createHash('sha256').update(key).digest('hex')
  const readAt = remembered.get(digest) ?? Number.NEGATIVE_INFINITY
  if (Date.now() - readAt < REMEMBERED_MS) return true
  const isFound = (await readKey(digest)) !== undefined
  if (isFound) remembered.set(digest, Date.now())
  return isFound
}

type Item = Record<string, { S?: string; N?: string } | undefined>

/** What is read of DynamoDB's responses, in its JSON. */
export type Output = { Item?: Item; Items?: Item[] }

/** The input of the query. Like the service, it asks for one pet more, which tells whether there is another page. */
export const queryOf = <Value>(status: Value) => ({
  TableName: process.env.PETS_TABLE,
  IndexName: 'byStatus',
  KeyConditionExpression: 'statusShard = :status',
  ExpressionAttributeValues: { ':status': status },
  ScanIndexForward: false,
  Limit: 2,
})

/** A store that reads with `send`, which sends an operation with its input in DynamoDB's JSON. */
export const storeOf = (send: (operation: 'GetItem' | 'Query', input: object) => Promise<Output>): Store => ({
  readKey: async (digest) => {
    const key = { TableName: process.env.API_KEYS_TABLE, Key: { digest: { S: digest } }, ConsistentRead: true }
    return (await send('GetItem', key)).Item
  },
  listPets: async (status) => {
    const { Items = [] } = await send('Query', queryOf({ S: `${status}#0` }))
    return Items.slice(0, 1).map(({ id, name, categoryId, status: of }) => {
      return { id: Number(id?.N), name: name?.S ?? '', categoryId: Number(categoryId?.N), status: of?.S }
    })
  },
})
