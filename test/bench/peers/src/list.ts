// What the peers share: a list of one pet with a status. Each brings its own way to reach DynamoDB,
// or its own framework.
import { createHash } from 'node:crypto'

/** Reads an API key by its digest (`undefined`: none), and the newest pet of a status. */
export type Store = {
  readKey: (digest: string) => Promise<unknown>
  list: (status: string) => Promise<object[]>
}

/** The fields of a pet. */
export const fields = ['id', 'name', 'categoryId', 'status']

export const unauthorized = { status: 401, code: 'unauthorized', message: 'Send an API key.' }

/** A response as API Gateway expects it. */
export const response = (statusCode: number, body: object) => ({
  statusCode,
  headers: { 'Content-Type': 'application/json' },
  body: JSON.stringify(body),
})

const REMEMBERED_MS = 60_000
const remembered = new Map<string, number>()

/**
 * Tells whether an `Authorization` header has a known API key. Like the service, it remembers a key
 * for a minute.
 */
export const isKnown = async (
  header: string | undefined,
  readKey: Store['readKey'],
): Promise<boolean> => {
  const [, key] = /^Bearer (\S+)$/.exec(header ?? '') ?? []
  if (!key) return false
  const digest = createHash('sha256').update(key).digest('hex')
  const readAt = remembered.get(digest) ?? Number.NEGATIVE_INFINITY
  if (Date.now() - readAt < REMEMBERED_MS) return true
  const isFound = (await readKey(digest)) !== undefined
  if (isFound) remembered.set(digest, Date.now())
  return isFound
}

/**
 * The input of the query. Like the service, it asks for one item more, which tells whether there is
 * another page.
 */
export const queryOf = <Value>(partition: Value) => ({
  TableName: process.env.PETS_TABLE,
  IndexName: 'byStatus',
  KeyConditionExpression: 'statusShard = :partition',
  ExpressionAttributeValues: { ':partition': partition },
  ScanIndexForward: false,
  Limit: 2,
})
