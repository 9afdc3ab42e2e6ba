// What the peers share: the work of getPet. Each brings its own way to reach DynamoDB, or its own framework.
import { createHash } from 'node:crypto'
import type { APIGatewayProxyEvent } from 'aws-lambda'

export type Pet = { id: number; name: string; categoryId: number; status?: string }

/** Reads an API key by its digest, and a pet by its id; `undefined` when there is none. */
export type Store = {
  readKey: (digest: string) => Promise<unknown>
  readPet: (petId: string) => Promise<Pet | undefined>
}

export const unauthorized = { status: 401, code: 'unauthorized', message: 'Send an API key.' }
export const notFound = { status: 404, code: 'not_found', message: 'No pet has that id.' }

/** A response as API Gateway expects it. */
export const response = (statusCode: number, body: object) => ({
  statusCode,
  headers: { 'Content-Type': 'application/json' },
  body: JSON.stringify(body),
})

/** A handler with no framework. */
export const bareHandler = (store: Store) => async (event: APIGatewayProxyEvent) => {
  if (!(await isKnown(event.headers.Authorization, store.readKey))) return response(401, unauthorized)
  const pet = await store.readPet(event.pathParameters?.petId ?? '')
  return pet ? response(200, pet) : response(404, notFound)
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

/** A store that reads with `getItem`, which sends DynamoDB's `GetItem` and returns the item, in DynamoDB's JSON. */
export const storeOf = (
  getItem: (input: { TableName: string; Key: object; ConsistentRead: true }) => Promise<Item | undefined>,
): Store => {
  const { API_KEYS_TABLE = '', PETS_TABLE = '' } = process.env
  return {
    readKey: (digest) => getItem({ TableName: API_KEYS_TABLE, Key: { digest: { S: digest } }, ConsistentRead: true }),
    readPet: async (petId) => {
      const item = await getItem({ TableName: PETS_TABLE, Key: { id: { N: petId } }, ConsistentRead: true })
      if (!item) return undefined
      const { id, name, categoryId, status } = item
      return { id: Number(id?.N), name: name?.S ?? '', categoryId: Number(categoryId?.N), status: status?.S }
    },
  }
}
