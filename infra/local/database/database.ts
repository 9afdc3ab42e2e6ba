import { statSync } from 'node:fs'
import type { Server } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import {
  CreateTableCommand,
  type CreateTableCommandInput,
  DescribeTableCommand,
  DynamoDBClient,
  ResourceInUseException,
} from '@aws-sdk/client-dynamodb'
import { Option } from '@commander-js/extra-typings'
import * as apiKeys from '../../../shared/data/api-keys.ts'
import {
  type KeyAttribute,
  type Table,
  tableIds,
  tableName,
  tables,
  tableVariable,
} from '../../../shared/data/tables.ts'
import { service } from '../../../shared/service.ts'
import { type Setting, settings } from '../../../shared/settings.ts'
import { CommandError, timeouts, wholeNumber } from '../../command-line.ts'
import { placeholders, storedLocalApiKey } from './credentials.ts'

/** The port of the local server, unless another is chosen. Its embedded database listens on the next one. */
export const DEFAULT_PORT = 3000

/** The option that chooses it. */
export const portOption = (description: string, least = 1) =>
  new Option('--port <number>', description).env('PORT').argParser(wholeNumber(least, 65_534))

/** A DynamoDB, and whether the user has named it. A named one gets the user's credentials, an embedded one never does. */
export type Address = { endpoint: string; isNamed: boolean }

/** The DynamoDB that AWS_ENDPOINT_URL_DYNAMODB names, if it is set. Throws a CommandError if that is an endpoint of AWS. */
export const namedDatabase = (): Address | undefined => {
  const endpoint = process.env.AWS_ENDPOINT_URL_DYNAMODB
  if (!endpoint) return undefined
  // The local API key is public, so it must never be stored in a real account.
  const host = URL.canParse(endpoint) ? new URL(endpoint).hostname.replace(/\.$/, '') : ''
  if (/(^|\.)(amazonaws\.(com(\.cn)?|eu)|api\.aws)$/.test(host))
    throw new CommandError('AWS_ENDPOINT_URL_DYNAMODB must not be an AWS endpoint: the local API key is public.')
  return { endpoint, isNamed: true }
}

/** The database of the local server at a port. Throws a CommandError if no server runs there. */
export const localDatabase = async (port = DEFAULT_PORT): Promise<Address> => {
  const endpoint = `http://127.0.0.1:${port + 1}`
  const greeting = fetch(endpoint, { signal: AbortSignal.timeout(2000) }).then((response) => response.text())
  // Something else may listen there.
  if (/^healthy: dynamodb/.test(await greeting.catch(() => ''))) return { endpoint, isNamed: false }
  throw new CommandError(`No local server runs at port ${port}. Start it with npm start, or name its port with --port.`)
}

/** What to open: the DynamoDB at an address, or else an embedded one, with its folder (default: in memory) and listener. */
type Choice = { address?: Address | undefined; folder?: string | undefined; listener?: Server | undefined }

/**
 * Opens a DynamoDB: lets this process use it, creates missing tables, and stores the local API key. The `description` is for
 * the banner; `isEmpty` says that nobody can have stored anything yet. Throws a CommandError if the folder or the address cannot
 * be used.
 */
export const openDatabase = async ({ address, folder, listener }: Choice = {}) => {
  if (address) {
    if (folder !== undefined)
      throw new CommandError('--data needs the embedded database, but AWS_ENDPOINT_URL_DYNAMODB names another one.')
    const { endpoint, isNamed } = address
    await prepare(address).catch((error) => {
      if (error instanceof CommandError || !isNamed) throw error
      throw new CommandError(
        `Cannot use the DynamoDB at ${endpoint}, which AWS_ENDPOINT_URL_DYNAMODB names: ${error.message || error.name}. ` +
          'Start it, or unset the variable to use the embedded one.',
      )
    })
    return { address, description: endpoint, isEmpty: false, close: async () => {} }
  }
  if (folder !== undefined && statSync(folder, { throwIfNoEntry: false })?.isFile())
    throw new CommandError(`Cannot use ${folder} as the data folder: it is a file. Choose a folder.`)
  // Loaded only here, because it takes a fifth of a server's start.
  const { startEmbedded } = await import('./embedded-database.ts')
  const { endpoint, close } = await startEmbedded(folder, listener)
  const embedded = { endpoint, isNamed: false }
  await prepare(embedded)
  return {
    address: embedded,
    description: `${endpoint} (${folder ?? 'in memory'})`,
    isEmpty: folder === undefined,
    close,
  }
}

/** Lets the functions, the commands and the AWS SDK of this process use a DynamoDB: they read these environment variables. */
export const useDatabase = ({ endpoint, isNamed }: Address): void => {
  const hasOwnKey = isNamed && process.env.AWS_ACCESS_KEY_ID
  // The user's AWS settings must neither break an embedded database nor be sent to it. The SDK prefers a profile to a key.
  if (!hasOwnKey)
    for (const name of ['AWS_PROFILE', 'AWS_SESSION_TOKEN', 'AWS_CREDENTIAL_EXPIRATION']) delete process.env[name]
  const account = isNamed ? { ...placeholders, ...process.env } : placeholders
  Object.assign(process.env, account, local, { AWS_ENDPOINT_URL_DYNAMODB: endpoint })
}

const local = {
  ...Object.fromEntries(
    Object.values<Setting>(settings).map((each) => [each.variable, 'local' in each ? each.local : each.default]),
  ),
  ...Object.fromEntries(
    tableIds.map((id) => [tableVariable(id), `${service.stack}Local-${id.charAt(0).toUpperCase()}${id.slice(1)}`]),
  ),
  // The SDK refuses these in combination with an endpoint, and developers may have set them for their accounts.
  AWS_USE_FIPS_ENDPOINT: 'false',
  AWS_USE_DUALSTACK_ENDPOINT: 'false',
}

const prepare = async (address: Address): Promise<void> => {
  useDatabase(address)
  const client = new DynamoDBClient(timeouts)
  try {
    await Promise.all(tableIds.map((id) => createTable(client, tableName(id), tables[id])))
  } finally {
    client.destroy()
  }
  await apiKeys.put(storedLocalApiKey)
}

const createTable = async (client: DynamoDBClient, TableName: string, table: Table): Promise<void> => {
  await client.send(new CreateTableCommand(definition(TableName, table))).catch((error) => {
    if (!(error instanceof ResourceInUseException)) throw error // It exists, or another process creates it.
  })
  while (!(await isActive(client, TableName, table))) await pause(20)
}

const isActive = async (client: DynamoDBClient, TableName: string, { indexes }: Table): Promise<boolean> => {
  const { Table } = await client.send(new DescribeTableCommand({ TableName }))
  const found = Table?.GlobalSecondaryIndexes ?? []
  if (!Object.keys(indexes).every((name) => found.some(({ IndexName }) => IndexName === name))) {
    throw new CommandError(
      `${TableName} is a table of an earlier version, without the indexes of this one. ` +
        'To start anew, delete the table, or the data folder that it is in.',
    )
  }
  return [Table?.TableStatus, ...found.map(({ IndexStatus }) => IndexStatus)].every((status) => status === 'ACTIVE')
}

const definition = (TableName: string, { partitionKey, indexes }: Table): CreateTableCommandInput => {
  const GlobalSecondaryIndexes = Object.entries(indexes).map(([IndexName, index]) => ({
    IndexName,
    KeySchema: [key(index, 'HASH'), key(partitionKey, 'RANGE')],
    Projection: { ProjectionType: 'ALL' as const },
  }))
  return {
    TableName,
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: [partitionKey, ...Object.values(indexes)].map(({ name, type }) => ({
      AttributeName: name,
      AttributeType: type,
    })),
    KeySchema: [key(partitionKey, 'HASH')],
    ...(GlobalSecondaryIndexes.length > 0 && { GlobalSecondaryIndexes }),
  }
}

const key = ({ name }: KeyAttribute, KeyType: 'HASH' | 'RANGE') => ({ AttributeName: name, KeyType })
