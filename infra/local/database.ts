import * as apiKeys from '../../shared/data/api-keys.ts'
import { settings } from '../../shared/data/tables.ts'
import { CommandError } from '../command-line.ts'
import { placeholders, storedLocalApiKey } from './announcement.ts'
import { createTables } from './create-tables.ts'
import { startEmbedded } from './embedded-database.ts'

/** A database that the service can work with, told to a person, and how to let go of it. */
export type Database = { description: string; close: () => Promise<void> }

/**
 * Makes a DynamoDB the one that everything in this process talks to, with the service's tables and the local API key.
 *
 * @param folder where the embedded database keeps its data; in memory otherwise
 * @param endpoint the address of another DynamoDB, to use that
 * @throws CommandError where the folder or the other DynamoDB cannot be used
 */
export const openDatabase = async (folder?: string, endpoint?: string): Promise<Database> => {
  if (endpoint) {
    await useExternal(endpoint)
    return { description: endpoint, close: async () => {} }
  }
  const embedded = await startEmbedded(folder)
  // Nothing of the person's own AWS settings matters to it, or reaches it.
  delete process.env.AWS_PROFILE
  Object.assign(process.env, placeholders)
  await use(embedded.endpoint)
  return { description: `${embedded.endpoint} (${folder ?? 'in memory'})`, close: embedded.close }
}

const useExternal = async (endpoint: string): Promise<void> => {
  // The local API key is public: it must not get where other people's pets are.
  const host = URL.canParse(endpoint) ? new URL(endpoint).hostname.replace(/\.$/, '') : ''
  if (/(^|\.)(amazonaws\.(com(\.cn)?|eu)|api\.aws)$/.test(host)) {
    throw new CommandError('AWS_ENDPOINT_URL_DYNAMODB must not be AWS itself: the local API key is known to everybody.')
  }
  // A profile would come before keys, and may be of an account that has nothing to do with this.
  if (!process.env.AWS_ACCESS_KEY_ID) delete process.env.AWS_PROFILE
  Object.assign(process.env, { ...placeholders, ...process.env })
  try {
    await use(endpoint)
  } catch (error) {
    const reason = error instanceof Error ? error.message || error.name : error
    throw new CommandError(`The DynamoDB at ${endpoint} cannot be used: ${reason}`)
  }
}

const use = async (endpoint: string): Promise<void> => {
  Object.assign(process.env, local, { AWS_ENDPOINT_URL_DYNAMODB: endpoint })
  await createTables()
  await apiKeys.put(storedLocalApiKey)
}

const local = {
  [settings.petsTable]: 'PetStoreLocal-Pets',
  [settings.apiKeysTable]: 'PetStoreLocal-ApiKeys',
  [settings.idempotencyKeysTable]: 'PetStoreLocal-IdempotencyKeys',
  [settings.keyPrefix]: 'local',
  [settings.readShards]: '1',
  [settings.writeShards]: '1',
}
