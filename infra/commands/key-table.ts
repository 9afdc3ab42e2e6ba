import { randomBytes } from 'node:crypto'
import { ConditionalCheckFailedException, DynamoDBClient } from '@aws-sdk/client-dynamodb'
import {
  DeleteCommand,
  DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  paginateScan,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb'
import * as v from 'valibot'
import type { StoredApiKey } from '../../shared/data/api-keys.ts'
import { digestOf, type KeyPrefix, newApiKey, scopesOf } from '../../shared/model/api-key.ts'
import { type Scope, scopes } from '../../shared/service.ts'
import { timeouts } from '../command-line.ts'
import type { Deployment } from './deployment.ts'

/** The API keys of a deployment. */
export class KeyTable {
  /** The part of the deployment's keys that names its stage. */
  readonly keyPrefix: KeyPrefix
  readonly #client: DynamoDBDocumentClient
  readonly #table: { TableName: string }

  constructor({ apiKeysTable, keyPrefix }: Omit<Deployment, 'baseUrl'>) {
    this.keyPrefix = keyPrefix
    const client = new DynamoDBClient(timeouts)
    // A number that is no safe integer ends a scan otherwise.
    this.#client = DynamoDBDocumentClient.from(client, {
      unmarshallOptions: { wrapNumbers: Number },
    })
    this.#table = { TableName: apiKeysTable }
  }

  /** Scans the whole table. Returns the keys, oldest first. */
  async all(): Promise<KeyItem[]> {
    const scan = paginateScan({ client: this.#client }, { ...this.#table, ConsistentRead: true })
    const pages = await Array.fromAsync(scan)
    const keys = pages.flatMap(({ Items = [] }) => Items).map(keyOf)
    return keys.sort((a, b) => (a.createdAt < b.createdAt ? -1 : 1))
  }

  /** Stores a new key. No condition: its digest is random, and a retry of the SDK repeats it. */
  async put(Item: StoredApiKey): Promise<void> {
    await this.#client.send(new PutCommand({ ...this.#table, Item }))
  }

  /**
   * Lets a key expire at `expiresAt` (seconds since 1970), unless it expires sooner. Returns it, or
   * `undefined` if it was deleted.
   */
  async expire(key: KeyItem, expiresAt: number): Promise<KeyItem | undefined> {
    const item = { ...this.#table, Key: { digest: key.digest } }
    const update = new UpdateCommand({
      ...item,
      UpdateExpression: 'SET expiresAt = :end',
      ConditionExpression:
        'attribute_exists(digest) AND (attribute_not_exists(expiresAt) OR expiresAt > :end)',
      ExpressionAttributeValues: { ':end': expiresAt },
    })
    try {
      await this.#client.send(update)
      return { ...key, expiresAt }
    } catch (error) {
      if (!(error instanceof ConditionalCheckFailedException)) throw error
      const { Item } = await this.#client.send(new GetCommand({ ...item, ConsistentRead: true }))
      return Item && keyOf(Item)
    }
  }

  /** Deletes a key. Does nothing if it was deleted before. */
  async remove(digest: string): Promise<void> {
    await this.#client.send(new DeleteCommand({ ...this.#table, Key: { digest } }))
  }
}

/** Text without control characters: they could forge lines of a list, or control the terminal. */
export const PRINTABLE = /^[^\p{C}\p{Zl}\p{Zp}]*$/u

// Someone may have edited an item by hand, or made one. It is shown as the service takes it.
const Text = v.fallback(v.pipe(v.string(), v.regex(PRINTABLE)), '(damaged)')
// The seconds of a Date.
const Expiry = v.fallback(v.pipe(v.number(), v.minValue(0), v.maxValue(8.64e12)), 0)
const StoredItem = v.object({
  digest: v.string(),
  keyId: Text,
  clientId: Text,
  name: Text,
  // A fallback is also for a missing attribute.
  scopes: v.fallback(v.pipe(v.unknown(), v.transform(scopesOf)), []),
  createdAt: Text,
  expiresAt: v.optional(Expiry),
})

/** `hasLostScopes`: the key was issued with a scope that the service no longer has. */
export type KeyItem = StoredApiKey & { hasLostScopes?: true }

const keyOf = (item: Record<string, unknown>): KeyItem => {
  const key = v.parse(StoredItem, item)
  const { scopes } = item
  const isWhole =
    !(Array.isArray(scopes) || scopes instanceof Set) || new Set(scopes).size === key.scopes.length
  return isWhole ? key : { ...key, hasLostScopes: true }
}

/** A new key: `text` is shown to its holder once, `stored` is what the table keeps. */
export type NewKey = { text: string; stored: StoredApiKey }

/** Who gets a key, what it allows (default: all), and for how many seconds. */
export type KeyRequest = {
  name: string
  clientId?: string
  scopes?: readonly Scope[] | undefined
  expiresIn?: number | undefined
}

/** Makes a key. It becomes valid when it is stored. */
export const newKey = (prefix: KeyPrefix, request: KeyRequest): NewKey => {
  const text = newApiKey(prefix)
  const stored = {
    digest: digestOf(text),
    keyId: newId('key'),
    clientId: request.clientId ?? newId('client'),
    name: request.name,
    scopes: request.scopes ?? scopes,
    createdAt: new Date().toISOString(),
    ...(request.expiresIn !== undefined && { expiresAt: secondsFromNow(request.expiresIn) }),
  }
  return { text, stored }
}

/** The end of a period that starts now, in whole seconds since 1970. */
export const secondsFromNow = (seconds: number): number => Math.floor(Date.now() / 1000) + seconds

// 64 random bits: an id is not a secret, it only has to be unique.
const newId = (kind: 'key' | 'client'): string => `${kind}_${randomBytes(8).toString('hex')}`
