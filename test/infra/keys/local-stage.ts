import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { DynamoDBDocumentClient, PutCommand, ScanCommand } from '@aws-sdk/lib-dynamodb'
import { afterAll, expect } from 'vitest'
import { readAnnouncement } from '../../../infra/local/announcement.ts'
import { send } from '../../support/http.ts'
import { exampleCredentials } from '../../support/secrets.ts'
import { startServer } from '../../support/server.ts'
import { runCommand } from './run-command.ts'

const folder = await mkdtemp(join(tmpdir(), 'pet-store-keys-'))

/** What a command needs to find the server of this test file, and no other that runs; and what it must not print. */
export const env = { LOCAL_DATABASE_FILE: join(folder, 'database.json'), ...exampleCredentials }

// Each test file that imports this has a local server of its own.
export const server = await startServer([], env)
const { endpoint, apiKeysTable: TableName } = readAnnouncement(env) ?? { endpoint: '', apiKeysTable: '' }
const credentials = { accessKeyId: 'local', secretAccessKey: 'local' }
const client = DynamoDBDocumentClient.from(new DynamoDBClient({ endpoint, region: 'us-east-1', credentials }))

afterAll(async () => {
  await server.stop()
  await rm(folder, { recursive: true })
})

/** Runs `npm run keys` on the local stage. */
export const keys = (...args: string[]) => runCommand('keys', [...args, '--stage', 'local'], env)

/** The same, for one that must succeed; returns the JSON that it prints. */
export const keysJson = async (...args: string[]) => {
  const { code, stdout, stderr } = await keys(...args, '--json')
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  return JSON.parse(stdout)
}

/** All that is stored about API keys, as it is. */
export const storedItems = async () => (await client.send(new ScanCommand({ TableName }))).Items ?? []

/** What is stored about one key. */
export const storedOf = async (keyId: string) => (await storedItems()).find((item) => item.keyId === keyId)

/** What the server answers to a key. */
export const statusWith = async (key: string): Promise<number> => {
  const { status } = await send(server.baseUrl, { path: '/pets', headers: { Authorization: `Bearer ${key}` } })
  return status
}

/** Writes an item as it is, for what the command itself would not write. */
export const putItem = (Item: Record<string, unknown>) => client.send(new PutCommand({ TableName, Item }))
