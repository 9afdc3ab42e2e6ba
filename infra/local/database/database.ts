import type { Server } from 'node:net'
import { Option } from '@commander-js/extra-typings'
import { tableIds, tableVariable } from '../../../shared/data/tables.ts'
import { capitalized } from '../../../shared/model/names.ts'
import { service } from '../../../shared/service.ts'
import { settings } from '../../../shared/settings.ts'
import { CommandError, wholeNumber } from '../../command-line.ts'
import { DATABASE_GREETING, isLoopback } from '../ports.ts'

/** The port of the local server. Its embedded database listens on the next one. */
export const DEFAULT_PORT = 3000

export const portOption = (description: string, least = 1) =>
  new Option('--port <number>', description).env('PORT').argParser(wholeNumber(least, 65_534))

/**
 * A DynamoDB. Only if the user has named it, it gets the user's credentials. Only if it is in
 * memory, its tables are made anew when their definitions change.
 */
export type Address = { endpoint: string; isNamed: boolean; isInMemory?: boolean }

/**
 * The DynamoDB that AWS_ENDPOINT_URL_DYNAMODB names. Throws a CommandError if it is not on this
 * machine, nor at the host that ALLOW_DYNAMODB_HOST names.
 */
export const namedDatabase = (): Address | undefined => {
  const { AWS_ENDPOINT_URL_DYNAMODB: endpoint, ALLOW_DYNAMODB_HOST: allowed } = process.env
  if (!endpoint) return undefined
  const host = URL.parse(endpoint)?.hostname
  // The local API key is public, so it must never be stored in a database that others can reach.
  if (host && !isLoopback(host) && host !== allowed)
    throw new CommandError(
      `AWS_ENDPOINT_URL_DYNAMODB must name this machine, because the local API key is public. ` +
        `If only developers use ${host}, set ALLOW_DYNAMODB_HOST=${host}.`,
    )
  return { endpoint, isNamed: true }
}

/** The database of the local server at a port. Throws a CommandError if no server runs there. */
export const localDatabase = async (port = DEFAULT_PORT): Promise<Address> => {
  const endpoint = `http://127.0.0.1:${port + 1}`
  const response = await fetch(endpoint, { signal: AbortSignal.timeout(2000) }).catch(() => null)
  // Something else may listen there.
  const greeting = await response?.text().catch(() => '')
  if (greeting?.startsWith(DATABASE_GREETING)) return { endpoint, isNamed: false }
  throw new CommandError(
    `No local server runs at port ${port}. Start it with npm start, or name its port with --port.`,
  )
}

/** A database, as the banner describes it. */
export type LocalDatabase = { address: Address; description: string }

type Choice = {
  named: Address | undefined
  folder?: string | undefined
  listener?: Server | undefined
}

/**
 * Starts an embedded DynamoDB with its data in `folder` (default: in memory), unless the user has
 * `named` another one. Throws a CommandError if the folder cannot be used.
 */
export const startDatabase = async ({ named, folder, listener }: Choice) => {
  if (folder === '')
    throw new CommandError(
      '--data is empty. Name a folder, or omit --data to keep the data in memory.',
    )
  if (named && folder !== undefined)
    throw new CommandError(
      '--data needs the embedded database, but AWS_ENDPOINT_URL_DYNAMODB names another one.',
    )
  if (named) {
    const database: LocalDatabase = { address: named, description: named.endpoint }
    return { database, close: async () => {} }
  }
  // Loaded only here, because it takes a fifth of a server's start.
  const { startEmbedded } = await import('./embedded-database.ts')
  const { endpoint, close } = await startEmbedded(folder, listener)
  const address: Address = { endpoint, isNamed: false, isInMemory: folder === undefined }
  const database: LocalDatabase = { address, description: `${endpoint} (${folder ?? 'in memory'})` }
  return { database, close }
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
