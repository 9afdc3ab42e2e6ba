import { type KeyRequest, KeyTable, newKey } from '../../../infra/commands/key-table.ts'
import { tableName } from '../../../shared/data/tables.ts'
import { proxy } from '../../support/database.ts'
import { startCommand } from '../../support/run-command.ts'
import { exampleCredentials } from '../../support/secrets.ts'

export const deployment = { apiKeysTable: tableName('apiKeys'), keyPrefix: 'local' } as const

export const table = new KeyTable(deployment)

/** Makes a key and stores it. */
export const storeNewKey = async (request: Partial<KeyRequest> = {}) => {
  const key = newKey('local', { name: 'shop front', ...request })
  await table.put(key.stored)
  return key
}

/** What the table has under the id of a key. */
export const storedOf = async (id: unknown) => (await table.all()).find(({ keyId }) => keyId === id)

/** Starts a command as a process. */
export const startProcess = (...args: string[]) =>
  startCommand('commands/keys', [...args, '--stage', 'local'], {
    AWS_ENDPOINT_URL_DYNAMODB: proxy.endpoint,
    ...exampleCredentials,
  })

/** Runs a command as a process. */
export const runProcess = (...args: string[]) => startProcess(...args).exited
