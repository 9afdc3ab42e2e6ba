import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import * as v from 'valibot'
import type { StoredApiKey } from '../../shared/data/api-keys.ts'
import { tableName } from '../../shared/data/tables.ts'
import { digestOf } from '../../shared/model/api-key.ts'

/** The API key of every local database. It is fixed so that the documentation can show it, and works nowhere else. */
export const LOCAL_API_KEY = 'pet_local_forDevelopmentOnOneMachineOnly002lJW3V'

/** The local API key as it is stored. */
export const storedLocalApiKey: StoredApiKey = {
  digest: digestOf(LOCAL_API_KEY),
  keyId: 'local',
  clientId: 'local',
  name: 'Local development',
  createdAt: '2026-11-20T00:00:00.000Z',
}

/** AWS settings that the SDK requires and a local database ignores. */
export const placeholders = { AWS_REGION: 'us-east-1', AWS_ACCESS_KEY_ID: 'local', AWS_SECRET_ACCESS_KEY: 'local' }

const Announcement = v.object({ endpoint: v.string(), baseUrl: v.string(), apiKeysTable: v.string() })

/** The addresses of a local server and its database, for the commands that work on a running server. */
export type Announcement = v.InferOutput<typeof Announcement>

/**
 * Writes the announcement of this process to a file, and removes it when the process ends. The file is
 * `.local-database.json.<port>` at the top of the repository. LOCAL_DATABASE_FILE replaces the name before the port; an
 * empty value turns the announcement off.
 */
export const announce = (baseUrl: string): void => {
  const name = nameOf(process.env)
  if (!name) return
  const file = `${name}.${new URL(baseUrl).port}`
  const endpoint = process.env.AWS_ENDPOINT_URL_DYNAMODB ?? ''
  try {
    writeFileSync(file, `${JSON.stringify({ endpoint, baseUrl, apiKeysTable: tableName('apiKeys') })}\n`)
  } catch (error) {
    // The API works without the file.
    const reason = error instanceof Error ? error.message : error
    console.warn('The keys and smoke commands will not find this server:', reason)
  }
  process.on('exit', () => rmSync(file, { force: true }))
}

/** Reads the announcements of all local servers. The server that started last comes first. */
export const readAnnouncements = (environment: NodeJS.ProcessEnv): Announcement[] => {
  const name = nameOf(environment)
  const folder = dirname(name)
  if (!name || !existsSync(folder)) return []
  const files = readdirSync(folder).filter((file) => file.startsWith(basename(name)))
  return files
    .flatMap((file) => read(join(folder, file)))
    .sort((a, b) => b.writtenAt - a.writtenAt)
    .map(({ announcement }) => announcement)
}

const nameOf = ({ LOCAL_DATABASE_FILE }: NodeJS.ProcessEnv): string =>
  LOCAL_DATABASE_FILE ?? fileURLToPath(new URL('../../.local-database.json', import.meta.url))

const read = (file: string): { announcement: Announcement; writtenAt: number }[] => {
  try {
    const announcement = v.parse(Announcement, JSON.parse(readFileSync(file, 'utf8')))
    return [{ announcement, writtenAt: statSync(file).mtimeMs }]
  } catch {
    return [] // Its server is starting or ending at this moment.
  }
}
