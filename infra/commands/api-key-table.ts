import { randomBytes } from 'node:crypto'
import { ConditionalCheckFailedException, DynamoDBClient } from '@aws-sdk/client-dynamodb'
import {
  DeleteCommand,
  DynamoDBDocumentClient,
  PutCommand,
  paginateScan,
  UpdateCommand,
  type UpdateCommandInput,
} from '@aws-sdk/lib-dynamodb'
import type { StoredApiKey } from '../../shared/data/api-keys.ts'
import { itemFormat } from '../../shared/data/dynamodb.ts'
import { digestOf, newApiKey } from '../../shared/model/api-key.ts'
import { secondsFromNow } from '../../shared/model/expiry.ts'
import { awsConnection } from './connection.ts'
import type { Deployment } from './deployment.ts'

/** The API keys of a deployment. */
export class ApiKeyTable {
  /** Who issues keys here, and where they are valid. */
  readonly issuer: Issuer
  readonly #client: DynamoDBDocumentClient
  readonly #table: { TableName: string }

  constructor(deployment: Issuer & Pick<Deployment, 'apiKeysTable'>) {
    this.issuer = deployment
    this.#client = DynamoDBDocumentClient.from(new DynamoDBClient(awsConnection()), itemFormat)
    this.#table = { TableName: deployment.apiKeysTable }
  }

  /** Scans the whole table. Returns the keys, oldest first. */
  async all(): Promise<StoredApiKey[]> {
    const scan = paginateScan({ client: this.#client }, { ...this.#table, ConsistentRead: true })
    const pages = await Array.fromAsync(scan)
    const keys = pages.flatMap(({ Items = [] }) => Items as StoredApiKey[]) // The SDK has no type for them.
    return keys.sort((a, b) => (a.createdAt < b.createdAt ? -1 : 1))
  }

  /** Stores a new key. No condition: its digest is random, and a retry of the SDK repeats it. */
  async put(Item: StoredApiKey): Promise<void> {
    await this.#client.send(new PutCommand({ ...this.#table, Item }))
  }

  /**
   * Lets a key expire at `end` (seconds since 1970), unless it ends earlier anyway. Returns the key
   * as it is stored then; `undefined` if it was revoked.
   */
  async expire(key: StoredApiKey, end: number): Promise<StoredApiKey | undefined> {
    const isSet = await this.#update(key, {
      UpdateExpression: 'SET expiresAt = :end',
      ConditionExpression:
        'attribute_exists(digest) AND attribute_not_exists(revokedBy) AND ' +
        '(attribute_not_exists(expiresAt) OR expiresAt > :end)',
      ExpressionAttributeValues: { ':end': end },
    })
    if (isSet) return { ...key, expiresAt: end }
    // The key ended earlier, or an earlier attempt of the SDK has taken effect.
    const stored = (await this.all()).find(({ digest }) => digest === key.digest)
    return stored?.revokedBy === undefined ? stored : undefined
  }

  /** Makes a key invalid. DynamoDB deletes it up to two days later. */
  async revoke(key: StoredApiKey): Promise<void> {
    await this.#update(key, {
      UpdateExpression: 'SET revokedBy = :operator, expiresAt = :now',
      ConditionExpression: 'attribute_exists(digest)',
      ExpressionAttributeValues: {
        ':operator': this.issuer.operator,
        ':now': secondsFromNow(0),
      },
    })
  }

  /** Deletes a key at once, without a trace. */
  async remove(digest: string): Promise<void> {
    await this.#client.send(new DeleteCommand({ ...this.#table, Key: { digest } }))
  }

  /** Changes a key. Returns whether the condition held. */
  async #update({ digest }: StoredApiKey, change: Omit<UpdateCommandInput, 'TableName' | 'Key'>) {
    try {
      await this.#client.send(new UpdateCommand({ ...this.#table, Key: { digest }, ...change }))
      return true
    } catch (error) {
      if (error instanceof ConditionalCheckFailedException) return false
      throw error
    }
  }
}

/** Where a key is valid, and who issues it. */
type Issuer = Pick<Deployment, 'keyPrefix' | 'operator'>

/** A new key: `text` is shown to its holder once, `stored` is what the table keeps. */
export type NewApiKey = { text: string; stored: StoredApiKey }

/** For how many seconds a key is valid; `never` if it does not end by itself. */
export type Lifetime = number | 'never'

/** Who gets a key, what it allows, and when it ends. */
export type ApiKeyRequest = {
  name: string
  clientId?: string
  scopes: readonly string[]
  expiresIn: Lifetime
}

/** Generates a key. It is valid as soon as it is stored. */
export const generateApiKey = (
  { keyPrefix, operator }: Issuer,
  request: ApiKeyRequest,
): NewApiKey => {
  const text = newApiKey(keyPrefix)
  const stored = {
    digest: digestOf(text),
    keyId: randomId('key'),
    clientId: request.clientId ?? randomId('client'),
    name: request.name,
    scopes: request.scopes,
    createdAt: new Date().toISOString(),
    ...(request.expiresIn !== 'never' && { expiresAt: secondsFromNow(request.expiresIn) }),
    issuedBy: operator,
  }
  return { text, stored }
}

// 64 random bits: an id is not a secret, it only has to be unique.
const randomId = (kind: 'key' | 'client'): string => `${kind}_${randomBytes(8).toString('hex')}`
