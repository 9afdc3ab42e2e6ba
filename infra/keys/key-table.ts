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
import type { StoredApiKey } from '../../shared/data/api-keys.ts'
import { digestOf, type KeyPrefix, newApiKey } from '../../shared/model/api-key.ts'
import { type Deployment, patience } from './deployment.ts'

/** The API keys of a deployment. Nothing that is stored is ever overwritten by something that it was not known to be. */
export class KeyTable {
  /** The part of its keys that says where they are good. */
  readonly keyPrefix: KeyPrefix
  readonly #client: DynamoDBDocumentClient
  readonly #table: { TableName: string }

  constructor({ apiKeysTable, keyPrefix, database }: Deployment) {
    this.keyPrefix = keyPrefix
    this.#client = DynamoDBDocumentClient.from(new DynamoDBClient({ ...patience, ...database }))
    this.#table = { TableName: apiKeysTable }
  }

  /** All keys, oldest first. Reads the whole table: an operator may, a function never does. */
  async all(): Promise<StoredApiKey[]> {
    const keys: StoredApiKey[] = []
    for await (const { Items = [] } of paginateScan({ client: this.#client }, { ...this.#table, ConsistentRead: true }))
      keys.push(...(Items as StoredApiKey[])) // The document client types every item as `any`; `add` makes them.
    return keys.sort((a, b) => (a.createdAt < b.createdAt ? -1 : 1))
  }

  /** Stores a new key. */
  async add(Item: StoredApiKey): Promise<void> {
    const put = new PutCommand({ ...this.#table, Item, ConditionExpression: 'attribute_not_exists(digest)' })
    if (await isDone(this.#client.send(put))) return
    // The SDK puts again when an answer is lost: then it is our own key that is in the way.
    if ((await this.#stored(Item))?.keyId !== Item.keyId) throw new Error('Two keys have the same digest.')
  }

  /** Lets a key expire at `expiresAt`, or when it would have anyway if that is sooner; `undefined` if it is gone. */
  async endBy(key: StoredApiKey, expiresAt: number): Promise<StoredApiKey | undefined> {
    const update = new UpdateCommand({
      ...this.#table,
      Key: { digest: key.digest },
      UpdateExpression: 'SET expiresAt = :end',
      ConditionExpression: 'attribute_exists(digest) AND (attribute_not_exists(expiresAt) OR expiresAt > :end)',
      ExpressionAttributeValues: { ':end': expiresAt },
    })
    return (await isDone(this.#client.send(update))) ? { ...key, expiresAt } : this.#stored(key)
  }

  /** Deletes a key; one that is gone already is as good. */
  async remove({ digest }: StoredApiKey): Promise<void> {
    await this.#client.send(new DeleteCommand({ ...this.#table, Key: { digest } }))
  }

  async #stored({ digest }: StoredApiKey): Promise<StoredApiKey | undefined> {
    const { Item } = await this.#client.send(new GetCommand({ ...this.#table, Key: { digest }, ConsistentRead: true }))
    return Item as StoredApiKey | undefined // As above.
  }
}

const isDone = async (write: Promise<unknown>): Promise<boolean> => {
  try {
    await write
    return true
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return false
    throw error
  }
}

/** A new key: what its holder gets, once, and what is stored of it. */
export type NewKey = { text: string; stored: StoredApiKey }

/** Whom a new key is for (a client keeps its `clientId` when its key is rotated), and for how many seconds. */
export type KeyRequest = { name: string; clientId?: string; expiresIn?: number | undefined }

/** Makes a key. It is good for nothing until it is stored. */
export const newKey = (prefix: KeyPrefix, { name, clientId = newId('client'), expiresIn }: KeyRequest): NewKey => {
  const text = newApiKey(prefix)
  const createdAt = new Date()
  const stored = { digest: digestOf(text), keyId: newId('key'), clientId, name, createdAt: createdAt.toISOString() }
  return {
    text,
    stored: expiresIn === undefined ? stored : { ...stored, expiresAt: secondsAfter(createdAt, expiresIn) },
  }
}

/** The end of a time span, in whole seconds since 1970. */
export const secondsAfter = (start: Date, seconds: number): number => Math.floor(start.getTime() / 1000) + seconds

// 64 random bits. An id is no secret: it only has to be nobody else's.
const newId = (kind: 'key' | 'client'): string => `${kind}_${randomBytes(8).toString('hex')}`
