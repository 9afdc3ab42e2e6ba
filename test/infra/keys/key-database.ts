import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { carryOut } from '../../../infra/keys/actions.ts'
import { readCommand } from '../../../infra/keys/command.ts'
import { KeyTable } from '../../../infra/keys/key-table.ts'
import { tableName } from '../../../shared/data/tables.ts'
import { proxy } from '../../support/database.ts'
import { exampleCredentials } from '../../support/secrets.ts'
import { startCommand } from './run-command.ts'

export const deployment = {
  baseUrl: '',
  apiKeysTable: tableName('apiKeys'),
  keyPrefix: 'local',
  database: { endpoint: proxy.endpoint },
} as const

export const table = new KeyTable(deployment)

/** Runs a command in this process. */
export const run = async (...args: string[]) => {
  const command = readCommand([...args, '--stage', 'local'])
  if (command.action === 'help') throw new Error('Help is printed by the process.')
  const { text, json } = await carryOut(table, command)
  return { text, json: json as Record<string, unknown> & unknown[] } // An object, or the array of `list`.
}

// The process takes the proxy for the database of a local server.
const LOCAL_DATABASE_FILE = join(mkdtempSync(join(tmpdir(), 'keys-')), 'database.json')
writeFileSync(LOCAL_DATABASE_FILE, JSON.stringify({ ...deployment, ...deployment.database }))

/** Starts a command as a process. */
export const startProcess = (...args: string[]) =>
  startCommand('keys', [...args, '--stage', 'local'], { LOCAL_DATABASE_FILE, ...exampleCredentials })

/** Runs a command as a process. */
export const runProcess = (...args: string[]) => startProcess(...args).exited
