import { randomBytes } from 'node:crypto'
import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import {
  DeleteCommand,
  DynamoDBDocumentClient,
  paginateScan,
  TransactWriteCommand,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb'
import type { StoredApiKey } from '../../shared/data/api-keys.ts'
import { itemFormat } from '../../shared/data/dynamodb.ts'
import { digestOf, newApiKey } from '../../shared/model/api-key.ts'
import { secondsFromNow } from '../../shared/model/expiry.ts'
import { CommandError, toCommandError } from '../command-line.ts'
import { awsOptions } from './aws.ts'
import type { Deployment } from './deployment.ts'

/** Who gets a key, what it allows, and for how many seconds: `Infinity` if it never ends. */
type KeyRequest = {
  name: string
  clientId?: string
  scopes: readonly string[]
  expiresIn: number
}

/** A new key: `text` is shown to its holder once, `stored` is what the table keeps. */
export type NewApiKey = { text: string; stored: StoredApiKey }

/** The API keys of a deployment. */
export class ApiKeyTable {
  readonly #client = DynamoDBDocumentClient.from(new DynamoDBClient(awsOptions()), itemFormat)
  readonly #deployment: Deployment
  readonly #table: { TableName: string }

  constructor(deployment: Deployment) {
    this.#deployment = deployment
    this.#table = { TableName: deployment.apiKeysTable }
  }

  /** Scans the whole table. Returns the keys, oldest first. */
  async all(): Promise<StoredApiKey[]> {
    const scan = paginateScan({ client: this.#client }, { ...this.#table, ConsistentRead: true })
    const pages = await Array.fromAsync(scan)
    const keys = pages.flatMap(({ Items = [] }) => Items as StoredApiKey[]) // The SDK has no type for them.
    return keys.sort((a, b) => (a.createdAt < b.createdAt ? -1 : 1))
  }

  /**
   * Makes a key, and stores it; in the same transaction, another one is let expire at `end`
   * (seconds since 1970). Throws a CommandError if somebody has changed that one meanwhile, or if
   * DynamoDB does not confirm the new key: then nobody has seen it.
   */
  async issue(
    request: KeyRequest,
    ending?: { old: StoredApiKey; end: number },
  ): Promise<NewApiKey> {
    const key = this.#newKey(request)
    const { keyId } = key.stored
    // Before it may be stored: this process may end at any moment.
    console.error(`Issuing the API key ${keyId}. If this is stopped, revoke it.`)
    const items = [{ Put: { ...this.#table, Item: key.stored } }]
    const write = new TransactWriteCommand({
      TransactItems: ending ? [...items, { Update: this.#endingOf(ending) }] : items,
    })
    await this.#client.send(write).catch((error) => {
      if (/ConditionalCheckFailed/.test(error.message))
        throw new CommandError('Somebody else has changed the old key. No new key was issued.')
      // Also after a refusal, which says nothing of an earlier attempt of the SDK.
      const advice = `If npm run keys -- list shows the key ${keyId}, revoke it.`
      throw new CommandError(`${toCommandError(error).message} ${advice}`)
    })
    return key
  }

  /** Makes a key, which is valid when it is stored. Throws a CommandError if the clock is wrong. */
  #newKey({ name, clientId = randomId('client'), scopes, expiresIn }: KeyRequest): NewApiKey {
    const { keyPrefix, operator, clockOffset } = this.#deployment
    if (Math.abs(clockOffset) > 60_000)
      throw new CommandError(
        'The clocks of this machine and of AWS are over a minute apart, so a new key would begin or ' +
          'end at a wrong time. Set the clock.',
      )
    const text = newApiKey(keyPrefix)
    const stored = {
      digest: digestOf(text),
      keyId: randomId('key'),
      clientId,
      name,
      scopes,
      createdAt: new Date().toISOString(),
      ...(expiresIn !== Infinity && { expiresAt: secondsFromNow(expiresIn) }),
      issuedBy: operator,
    }
    return { text, stored }
  }

  #endingOf({ old, end }: { old: StoredApiKey; end: number }) {
    return {
      ...this.#table,
      Key: { digest: old.digest },
      UpdateExpression: 'SET expiresAt = :end',
      ConditionExpression: `attribute_exists(digest) AND ${
        old.expiresAt === undefined ? 'attribute_not_exists(expiresAt)' : 'expiresAt = :old'
      }`,
      ExpressionAttributeValues: { ':end': end, ':old': old.expiresAt },
    }
  }

  /** Makes a key invalid. DynamoDB deletes it up to two days later. */
  async revoke({ digest }: StoredApiKey): Promise<void> {
    const { operator } = this.#deployment
    const update = new UpdateCommand({
      ...this.#table,
      Key: { digest },
      UpdateExpression: 'SET revokedBy = :operator, expiresAt = :now',
      ConditionExpression: 'attribute_exists(digest)',
      ExpressionAttributeValues: { ':operator': operator, ':now': secondsFromNow(0) },
    })
    await this.#client.send(update)
  }

  /** Deletes a key at once, without a trace. */
  async remove({ digest }: StoredApiKey): Promise<void> {
    await this.#client.send(new DeleteCommand({ ...this.#table, Key: { digest } }))
  }
}

// 64 random bits: an id is not a secret, it only has to be unique.
const randomId = (kind: 'key' | 'client'): string => `${kind}_${randomBytes(8).toString('hex')}`

const HOUR = 3600
const RENEWAL_MS = 50 * 60 * 1000

/**
 * Runs a command with an API key of its own, and deletes the key afterwards. It is valid for an
 * hour, and another one is issued before: if the command is killed, its key ends by itself.
 */
export const withCommandKey = async (
  deployment: Deployment,
  clientId: string,
  scopes: readonly string[],
  action: (apiKey: () => Promise<string>) => Promise<void>,
): Promise<void> => {
  const table = new ApiKeyTable(deployment)
  let renewal = 0
  const issue = () => {
    renewal = Date.now() + RENEWAL_MS
    return table.issue({ name: clientId, clientId, scopes, expiresIn: HOUR })
  }
  let key = await issue()
  const apiKey = async (): Promise<string> => {
    if (Date.now() >= renewal) key = await issue()
    return key.text
  }
  try {
    await action(apiKey)
  } finally {
    await table.remove(key.stored).catch((error) => {
      const { keyId } = key.stored
      console.error(
        `${toCommandError(error).message} Revoke its key: npm run keys -- revoke ${keyId}`,
      )
      process.exitCode = 1
    })
  }
}
