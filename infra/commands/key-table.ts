import { randomBytes } from 'node:crypto'
import { ConditionalCheckFailedException, DynamoDBClient } from '@aws-sdk/client-dynamodb'
import {
  DeleteCommand,
  DynamoDBDocumentClient,
  PutCommand,
  paginateScan,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb'
import type { StoredApiKey } from '../../shared/data/api-keys.ts'
import { digestOf, type KeyPrefix, newApiKey } from '../../shared/model/api-key.ts'
import { secondsFromNow } from '../../shared/model/expiry.ts'
import { type Scope, scopes } from '../../shared/service.ts'
import { timeouts } from '../command-line.ts'

/** The API keys of a deployment. */
export class KeyTable {
  /** The part of the deployment's keys that names its stage. */
  readonly keyPrefix: KeyPrefix
  readonly #client: DynamoDBDocumentClient
  readonly #table: { TableName: string }

  constructor({ apiKeysTable, keyPrefix }: { apiKeysTable: string; keyPrefix: KeyPrefix }) {
    this.keyPrefix = keyPrefix
    this.#client = DynamoDBDocumentClient.from(new DynamoDBClient(timeouts))
    this.#table = { TableName: apiKeysTable }
  }

  /** Scans the whole table. Returns the keys, oldest first. */
  async all(): Promise<StoredApiKey[]> {
    const scan = paginateScan({ client: this.#client }, { ...this.#table, ConsistentRead: true })
    const pages = await Array.fromAsync(scan)
    const keys = pages.flatMap(({ Items = [] }) => Items as StoredApiKey[]) // A cast of `any`.
    return keys.sort((a, b) => (a.createdAt < b.createdAt ? -1 : 1))
  }

  /** Stores a new key. No condition: its digest is random, and a retry of the SDK repeats it. */
  async put(Item: StoredApiKey): Promise<void> {
    await this.#client.send(new PutCommand({ ...this.#table, Item }))
  }

  /** Lets a key expire at `expiresAt` (seconds since 1970). Returns whether the key exists. */
  async expire(digest: string, expiresAt: number): Promise<boolean> {
    const update = new UpdateCommand({
      ...this.#table,
      Key: { digest },
      UpdateExpression: 'SET expiresAt = :end',
      ConditionExpression: 'attribute_exists(digest)',
      ExpressionAttributeValues: { ':end': expiresAt },
    })
    try {
      await this.#client.send(update)
      return true
    } catch (error) {
      if (error instanceof ConditionalCheckFailedException) return false
      throw error
    }
  }

  /** Deletes a key. Does nothing if it was deleted before. */
  async remove(digest: string): Promise<void> {
    await this.#client.send(new DeleteCommand({ ...this.#table, Key: { digest } }))
  }
}

/** A new key: `text` is shown to its holder once, `stored` is what the table keeps. */
type NewKey = { text: string; stored: StoredApiKey }

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

// 64 random bits: an id is not a secret, it only has to be unique.
const newId = (kind: 'key' | 'client'): string => `${kind}_${randomBytes(8).toString('hex')}`
