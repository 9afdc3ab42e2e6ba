import type { Server } from 'node:net'
import { devNull } from 'node:os'
import { Option } from '@commander-js/extra-typings'
import { tableIds, tableVariable } from '../../../shared/data/tables.ts'
import { capitalized } from '../../../shared/model/names.ts'
import { service } from '../../../shared/service.ts'
import { settings } from '../../../shared/settings.ts'
import { CommandError, fail, wholeNumber } from '../../command-line.ts'
import { DataFolderError, GREETING, startEmbedded } from '../../packages/embedded-dynamodb/index.ts'
import { isLoopback, LOOPBACK } from '../ports.ts'

/** The port of the local server. Its embedded database listens on the next one. */
export const DEFAULT_PORT = 3000

export const portOption = (description: string, least = 1) =>
  new Option('--port <number>', description).env('PORT').argParser(wholeNumber(least, 65_534))

/**
 * The endpoint of the DynamoDB that AWS_ENDPOINT_URL_DYNAMODB names. Throws a CommandError if it is
 * not on this machine.
 */
export const namedDatabase = (): string | undefined => {
  const { AWS_ENDPOINT_URL_DYNAMODB: endpoint } = process.env
  if (!endpoint) return undefined
  // The local API key is public, so it must never be stored in a database that others can reach.
  if (isLoopback(URL.parse(endpoint)?.hostname ?? '')) return endpoint
  throw new CommandError(
    'AWS_ENDPOINT_URL_DYNAMODB must be the URL of a DynamoDB on this machine, because the local ' +
      'API key is public.',
  )
}

/**
 * Lets this process use the DynamoDB that the user has named, or else that of the local server at a
 * port. Returns its endpoint. Throws a CommandError if there is none.
 */
export const useRunningDatabase = async (port: number): Promise<string> => {
  const endpoint = namedDatabase() ?? (await serverDatabase(port))
  useDatabase(endpoint)
  return endpoint
}

const serverDatabase = async (port: number): Promise<string> => {
  const endpoint = `http://${LOOPBACK}:${port + 1}`
  const greeting = await fetch(endpoint, { signal: AbortSignal.timeout(2000) })
    .then((response) => response.text())
    .catch(() => '')
  // Something else may listen there.
  if (greeting.startsWith(GREETING)) return endpoint
  throw new CommandError(
    `No local server runs at port ${port}. Start it with npm start, or name its port with --port.`,
  )
}

/**
 * Starts an embedded DynamoDB on `listener`, with its data in a folder (default: in memory), unless
 * the user has named another one. Returns its endpoint, and a text that names it for the user. Ends
 * this process if its disk fails. Throws a CommandError if the folder is not usable.
 */
export const openDatabase = async (listener: Server | undefined, path: string | undefined) => {
  const named = namedDatabase()
  if (named && path !== undefined)
    throw new CommandError(
      '--data needs the embedded database, but AWS_ENDPOINT_URL_DYNAMODB names another one.',
    )
  if (named) return { endpoint: named, text: named }
  const folder = path === undefined ? undefined : { path, format: FORMAT }
  const { endpoint, failed } = await startEmbedded({ folder, listener }).catch((error) => {
    throw error instanceof DataFolderError ? new CommandError(error.message) : error
  })
  failed.then(({ message }) => {
    fail(new CommandError(message))
    process.exit()
  })
  return { endpoint, text: `${endpoint} (${path ?? 'in memory'})` }
}

/** The form of the stored items. Raise it when they change so that older ones cannot be read. */
const FORMAT = 4

/**
 * Lets this process use a DynamoDB, by environment variables. Removes all other AWS settings of the
 * user: some name AWS as the endpoint, or need a login.
 */
export const useDatabase = (endpoint: string): void => {
  for (const name of Object.keys(process.env)) if (name.startsWith('AWS_')) delete process.env[name]
  Object.assign(process.env, localVariables, { AWS_ENDPOINT_URL_DYNAMODB: endpoint })
  for (const id of tableIds)
    process.env[tableVariable(id)] = `${service.stack}Local-${capitalized(id)}`
}

const localVariables = {
  // The SDK requires them, and a local database ignores them, or keeps accounts apart by them.
  AWS_REGION: 'us-east-1',
  AWS_ACCESS_KEY_ID: 'local',
  AWS_SECRET_ACCESS_KEY: 'local',
  // The SDK reads these files, too.
  AWS_CONFIG_FILE: devNull,
  AWS_SHARED_CREDENTIALS_FILE: devNull,
  [settings.keyPrefix]: 'local',
  [settings.readShards]: '1',
  [settings.writeShards]: '1',
}
