import type { Server } from 'node:net'
import { Option } from '@commander-js/extra-typings'
import * as apiKeys from '../../../shared/data/api-keys.ts'
import { tableIds, tableVariable } from '../../../shared/data/tables.ts'
import { capitalized } from '../../../shared/model/names.ts'
import { service } from '../../../shared/service.ts'
import { settings } from '../../../shared/settings.ts'
import { CommandError, wholeNumber } from '../../command-line.ts'
import { storedLocalApiKey } from './credentials.ts'
import { createTables } from './tables.ts'

/** The port of the local server. Its embedded database listens on the next one. */
export const DEFAULT_PORT = 3000

export const portOption = (description: string, least = 1) =>
  new Option('--port <number>', description).env('PORT').argParser(wholeNumber(least, 65_534))

/**
 * A DynamoDB. Only if the user has named it, it gets the user's credentials. Only if it is in
 * memory, its tables are made anew when their definitions change.
 */
export type Address = { endpoint: string; isNamed: boolean; isInMemory?: boolean }

/** The DynamoDB that AWS_ENDPOINT_URL_DYNAMODB names. Throws a CommandError if that is in AWS. */
export const namedDatabase = (): Address | undefined => {
  const endpoint = process.env.AWS_ENDPOINT_URL_DYNAMODB
  if (!endpoint) return undefined
  // The local API key is public, so it must never be stored in a real account.
  const host = URL.canParse(endpoint) ? new URL(endpoint).hostname.replace(/\.$/, '') : ''
  if (/(^|\.)(amazonaws\.(com(\.cn)?|eu)|api\.aws)$/.test(host))
    throw new CommandError(
      'AWS_ENDPOINT_URL_DYNAMODB must not be an AWS endpoint: the local API key is public.',
    )
  return { endpoint, isNamed: true }
}

/** The database of the local server at a port. Throws a CommandError if no server runs there. */
export const localDatabase = async (port = DEFAULT_PORT): Promise<Address> => {
  const endpoint = `http://127.0.0.1:${port + 1}`
  const response = await fetch(endpoint, { signal: AbortSignal.timeout(2000) }).catch(() => null)
  // Something else may listen there.
  const greeting = await response?.text().catch(() => '')
  if (greeting?.startsWith('healthy: dynamodb')) return { endpoint, isNamed: false }
  throw new CommandError(
    `No local server runs at port ${port}. Start it with npm start, or name its port with --port.`,
  )
}

type Choice = {
  address?: Address | undefined
  folder?: string | undefined
  listener?: Server | undefined
}

/**
 * Opens the DynamoDB at `address`, or an embedded one with a folder (default: in memory), for this
 * process, with all tables and the local API key. The banner has the `description`; `isNew` says
 * whether the tables are in memory and new. Throws a CommandError if the folder or the address
 * cannot be used.
 */
export const openDatabase = async ({ address, folder, listener }: Choice = {}) => {
  if (folder === '')
    throw new CommandError(
      '--data is empty. Name a folder, or omit --data to keep the data in memory.',
    )
  if (address && folder !== undefined)
    throw new CommandError(
      '--data needs the embedded database, but AWS_ENDPOINT_URL_DYNAMODB names another one.',
    )
  if (address) {
    const isNew = await prepareDatabase(address).catch((error) => {
      throw address.isNamed ? namedError(address, error) : error
    })
    return { address, isNew, description: address.endpoint, close: async () => {} }
  }
  // Loaded only here, because it takes a fifth of a server's start.
  const { startEmbedded } = await import('./embedded-database.ts')
  const { endpoint, close } = await startEmbedded(folder, listener)
  const embedded = { endpoint, isNamed: false, isInMemory: folder === undefined }
  const isNew = await prepareDatabase(embedded)
  return { address: embedded, isNew, description: `${endpoint} (${folder ?? 'in memory'})`, close }
}

const namedError = ({ endpoint }: Address, error: Error): CommandError => {
  if (error instanceof CommandError) return error
  return new CommandError(
    `Cannot use the DynamoDB at ${endpoint}, which AWS_ENDPOINT_URL_DYNAMODB names: ` +
      `${error.message || error.name}. Start it, or unset the variable to use the embedded one.`,
  )
}

/** Lets this process use a DynamoDB, by environment variables. */
export const useDatabase = ({ endpoint, isNamed }: Address): void => {
  const hasOwnKey = isNamed && process.env.AWS_ACCESS_KEY_ID
  // The user's AWS settings must not be sent to it. The SDK prefers a profile to a key.
  if (!hasOwnKey) {
    delete process.env.AWS_PROFILE
    delete process.env.AWS_SESSION_TOKEN
    delete process.env.AWS_CREDENTIAL_EXPIRATION
  }
  const account = isNamed ? { ...placeholders, ...process.env } : placeholders
  Object.assign(process.env, account, localVariables, { AWS_ENDPOINT_URL_DYNAMODB: endpoint })
}

/** AWS settings that the SDK requires and a local database ignores. */
const placeholders = {
  AWS_REGION: 'us-east-1',
  AWS_ACCESS_KEY_ID: 'local',
  AWS_SECRET_ACCESS_KEY: 'local',
}

const localVariables: Record<string, unknown> = {
  // With an endpoint, the SDK refuses these, which developers may have set.
  AWS_USE_FIPS_ENDPOINT: 'false',
  AWS_USE_DUALSTACK_ENDPOINT: 'false',
  [settings.keyPrefix]: 'local',
  [settings.readShards]: '1',
  [settings.writeShards]: '1',
}
for (const id of tableIds)
  localVariables[tableVariable(id)] = `${service.stack}Local-${capitalized(id)}`

/**
 * Lets this process use a DynamoDB, which then has the tables and the local API key. Returns
 * whether it is in memory and the tables are new.
 */
const prepareDatabase = async (address: Address): Promise<boolean> => {
  useDatabase(address)
  const isNew = await createTables(address.isInMemory ?? false)
  await apiKeys.put(storedLocalApiKey)
  return isNew
}
