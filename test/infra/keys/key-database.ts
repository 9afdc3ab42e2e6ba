import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type KeyRequest, KeyTable, newKey } from '../../../infra/keys/key-table.ts'
import { tableName } from '../../../shared/data/tables.ts'
import { proxy } from '../../support/database.ts'
import { startCommand } from '../../support/run-command.ts'
import { exampleCredentials } from '../../support/secrets.ts'

export const deployment = {
  baseUrl: 'http://127.0.0.1:1/v1',
  apiKeysTable: tableName('apiKeys'),
  keyPrefix: 'local',
  database: { endpoint: proxy.endpoint },
} as const

export const table = new KeyTable(deployment)

/** Makes a key and stores it. */
export const storeNewKey = async (request: Partial<KeyRequest> = {}) => {
  const key = newKey('local', { name: 'shop front', ...request })
  await table.put(key.stored)
  return key
}

/** What the table has under the id of a key. */
export const storedOf = async (id: unknown) => (await table.all()).keys.find(({ keyId }) => keyId === id)

// The process takes the proxy for the database of a local server.
const LOCAL_SERVERS = mkdtempSync(join(tmpdir(), 'keys-'))
writeFileSync(join(LOCAL_SERVERS, '.local-server.1.json'), JSON.stringify({ ...deployment, ...deployment.database }))

/** Starts a command as a process. */
export const startProcess = (...args: string[]) =>
  startCommand('keys', [...args, '--stage', 'local', '--port', '1'], { LOCAL_SERVERS, ...exampleCredentials })

/** Runs a command as a process. */
export const runProcess = (...args: string[]) => startProcess(...args).exited
