import { GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb'
import { type ApiKey, digestOf, isApiKey } from '../model/api-key.ts'
import { dynamodb, withinBudget } from './dynamodb.ts'
import { setting } from './tables.ts'

/** An API key as it is stored: by its digest, never itself. `createdAt` is ISO 8601, `expiresAt` seconds since 1970. */
export type StoredApiKey = ApiKey & { digest: string; name: string; createdAt: string; expiresAt?: number }

const REMEMBERED_MS = 60_000
const MOST_REMEMBERED = 1000
const remembered = new Map<string, { key: StoredApiKey; readAt: number }>()

/**
 * Who holds the API key `text`; `undefined` where it is unknown, expired, or a key of another stage. A key that was
 * found is remembered for 60 s from the moment its read was sent, so a revoked one dies within a minute; one that was
 * not found is looked for each time.
 *
 * @throws ApiError 503 when DynamoDB cannot tell: that is never "not found"
 */
export const find = async (text: string): Promise<ApiKey | undefined> => {
  if (!isApiKey(text, setting('keyPrefix'))) return undefined
  const digest = digestOf(text)
  const key = recall(digest) ?? (await read(digest))
  // DynamoDB deletes expired items late, by up to two days.
  return key && (key.expiresAt ?? Number.POSITIVE_INFINITY) > Date.now() / 1000 ? key : undefined
}

/** Stores an API key, or replaces what is stored of it. */
export const put = (key: StoredApiKey): Promise<unknown> =>
  withinBudget((options) => dynamodb.send(new PutCommand({ TableName: setting('apiKeysTable'), Item: key }), options))

/**
 * Reads, while a function starts, a key that nobody has: Lambda gives a function more of a processor then ("burst CPU", as
 * the guide of the AWS Lambda Web Adapter calls it), and most of what a first read takes is processor time, for TLS and for
 * code that runs for the first time: 20 of the 26 ms of a first call. Where nobody waits for a start, nothing is read.
 */
export const warmUp = async (): Promise<void> => {
  if (!process.env.AWS_LAMBDA_INITIALIZATION_TYPE) return
  // What is wrong here will be wrong for the first request, too, which tells of it.
  await read('nobody').catch(() => undefined)
}

const recall = (digest: string): StoredApiKey | undefined => {
  const known = remembered.get(digest)
  return known && Date.now() - known.readAt < REMEMBERED_MS ? known.key : undefined
}

const read = (digest: string): Promise<StoredApiKey | undefined> =>
  withinBudget(async (options) => {
    const readAt = Date.now()
    const { Item } = await dynamodb.send(
      new GetCommand({ TableName: setting('apiKeysTable'), Key: { digest }, ConsistentRead: true }),
      options,
    )
    const key = Item as StoredApiKey | undefined // The document client types every item as `any`; `put` makes them.
    remembered.delete(digest)
    if (key) remember(digest, { key, readAt })
    return key
  })

const remember = (digest: string, known: { key: StoredApiKey; readAt: number }): void => {
  remembered.set(digest, known)
  // A Map keeps the order of insertion: the first is the one that was read longest ago.
  const [oldest] = remembered.keys()
  if (remembered.size > MOST_REMEMBERED && oldest !== undefined) remembered.delete(oldest)
}
