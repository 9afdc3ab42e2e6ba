import { GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb'
import { type Caller, digestOf, isApiKey, scopesOf } from '../model/api-key.ts'
import { isExpired } from '../model/expiry.ts'
import type { Scope } from '../service.ts'
import { setting } from '../settings.ts'
import { dynamodb, orUnavailable, withBudget } from './dynamodb.ts'
import { tableName } from './tables.ts'

/** What is stored of an API key. `createdAt` is ISO 8601, `expiresAt` seconds since 1970. */
export type StoredApiKey = {
  digest: string
  keyId: string
  clientId: string
  name: string
  scopes: readonly Scope[]
  createdAt: string
  expiresAt?: number
}

const CACHED_MS = 60_000
const MAX_CACHED = 1000
const cache = new Map<string, { key: StoredApiKey; readAt: number }>()

/**
 * Finds the caller with the API key `text`; `undefined` if it is unknown, expired, or of another
 * stage. A known key is cached for 60 s from the moment its read was sent: a revoked one is invalid
 * within a minute. Throws an ApiError 503 if DynamoDB is unavailable.
 */
export const find = async (text: string): Promise<Caller | undefined> => {
  if (!isApiKey(text, setting('keyPrefix'))) return undefined
  const digest = digestOf(text)
  const key = cachedKey(digest) ?? (await read(digest))
  if (!key || isExpired(key.expiresAt)) return undefined
  return { keyId: key.keyId, clientId: key.clientId, scopes: scopesOf(key.scopes) }
}

/** Stores an API key, or replaces the one with the same digest. */
export const put = (key: StoredApiKey): Promise<unknown> => {
  const command = new PutCommand({ TableName: tableName('apiKeys'), Item: key })
  return withBudget((budget) => orUnavailable(dynamodb.send(command, budget)))
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
  const { Item } = await withBudget((budget) => orUnavailable(dynamodb.send(get, budget)))
  // A cast of `any`. An item of another key must never be taken for this one's.
  const key = Item?.digest === digest ? (Item as StoredApiKey) : undefined
  cache.delete(digest)
  if (key) cache.set(digest, { key, readAt })
  // A Map keeps the order of insertion, so its first key was read first.
  const [oldest = ''] = cache.keys()
  if (cache.size > MAX_CACHED) cache.delete(oldest)
  return key
}
