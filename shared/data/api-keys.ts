import { GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb'
import { digestOf, isApiKey, type KeyHolder, keyState, scopesOf } from '../model/api-key.ts'
import { setting } from '../settings.ts'
import { dynamodb, withDeadline } from './dynamodb.ts'
import { mapToUnavailable } from './failures.ts'
import { tableName } from './tables.ts'

/**
 * What is stored of an API key. `createdAt` is ISO 8601, `expiresAt` seconds since 1970; `issuedBy`
 * and `revokedBy` are ARNs of operators. A later version may know more `scopes`. A revoked key also
 * expires, so that DynamoDB deletes it.
 */
export type StoredApiKey = {
  digest: string
  keyId: string
  clientId: string
  name: string
  scopes: readonly string[]
  createdAt: string
  expiresAt?: number
  issuedBy?: string
  revokedBy?: string
}

const CACHED_MS = 60_000
const MAX_CACHED = 1000
const cache = new Map<string, { key: StoredApiKey; readAt: number }>()

/**
 * Finds the holder of the API key `text`; `undefined` if it is unknown or of another stage. A key
 * that has expired or was revoked is found until DynamoDB deletes it, up to two days later. A known
 * key is cached for 60 s from the moment its read was sent: a revoked one is invalid within a
 * minute. Throws an ApiError 503 if DynamoDB is unavailable.
 */
export const findKeyHolder = async (text: string): Promise<KeyHolder | undefined> => {
  if (!isApiKey(text, setting('keyPrefix'))) return undefined
  const digest = digestOf(text)
  const key = cachedKey(digest) ?? (await read(digest))
  if (!key) return undefined
  const { keyId, clientId, scopes, expiresAt } = key
  const isValid = keyState(key) === 'valid'
  return { keyId, clientId, scopes: scopesOf(scopes), expiresAt, isValid }
}

/** Stores an API key, or replaces the one with the same digest. */
export const put = (key: StoredApiKey): Promise<unknown> => {
  const command = new PutCommand({ TableName: tableName('apiKeys'), Item: key })
  return withDeadline((deadline) => mapToUnavailable(dynamodb.send(command, deadline)))
}

/**
 * Reads a key that does not exist, while a function starts in Lambda. A first read is mostly CPU
 * time, of which Lambda gives more during init ("burst CPU" in the guide of the AWS Lambda Web
 * Adapter).
 */
export const warmUp = async (): Promise<void> => {
  if (!process.env.AWS_LAMBDA_INITIALIZATION_TYPE) return
  // The first request meets the same error, and reports it.
  await read('nobody').catch(() => undefined)
}

const cachedKey = (digest: string): StoredApiKey | undefined => {
  const cached = cache.get(digest)
  const age = Date.now() - (cached?.readAt ?? 0)
  // The age is negative if the clock was set back.
  return age >= 0 && age < CACHED_MS ? cached?.key : undefined
}

const read = async (digest: string): Promise<StoredApiKey | undefined> => {
  const readAt = Date.now()
  const get = new GetCommand({
    TableName: tableName('apiKeys'),
    Key: { digest },
    ConsistentRead: true,
  })
  const { Item } = await withDeadline((deadline) => mapToUnavailable(dynamodb.send(get, deadline)))
  // Checks the digest, so that a wrong response never authenticates another client.
  const key = Item?.digest === digest ? (Item as StoredApiKey) : undefined
  cache.delete(digest)
  if (key) cache.set(digest, { key, readAt })
  // A Map keeps the order of insertion, so its first key was read first.
  const [oldest = ''] = cache.keys()
  if (cache.size > MAX_CACHED) cache.delete(oldest)
  return key
}
