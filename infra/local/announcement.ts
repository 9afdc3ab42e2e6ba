import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import * as v from 'valibot'
import type { StoredApiKey } from '../../shared/data/api-keys.ts'
import { setting } from '../../shared/data/tables.ts'
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
type Announcement = v.InferOutput<typeof Announcement>

/**
 * Writes the announcement of this process to a file, and removes it when the process ends. The last server that starts
 * wins. The file is `.local-database.json` at the top of the repository, or the one that LOCAL_DATABASE_FILE names; an
 * empty value turns the announcement off.
 */
export const announce = (baseUrl: string): void => {
  const file = fileOf(process.env)
  if (!file) return
  const endpoint = process.env.AWS_ENDPOINT_URL_DYNAMODB ?? ''
  const text = `${JSON.stringify({ endpoint, baseUrl, apiKeysTable: setting('apiKeysTable') })}\n`
  try {
    // Renaming is atomic: no reader sees a partial file.
    writeFileSync(`${file}.${process.pid}`, text)
    renameSync(`${file}.${process.pid}`, file)
  } catch (error) {
    // The API works without the file.
    const reason = error instanceof Error ? error.message : error
    console.warn('The keys and smoke commands will not find this server:', reason)
  }
  process.on('exit', () => {
    // The file of a server that started later stays.
    if (textOf(file) === text) rmSync(file, { force: true })
  })
}

/** Reads the announcement of the local server that started last; `undefined` if there is none. */
export const readAnnouncement = (environment: NodeJS.ProcessEnv): Announcement | undefined => {
  try {
    return v.parse(Announcement, JSON.parse(textOf(fileOf(environment)) ?? ''))
  } catch {
    return undefined
  }
}

const fileOf = ({ LOCAL_DATABASE_FILE }: NodeJS.ProcessEnv): string =>
  LOCAL_DATABASE_FILE ?? fileURLToPath(new URL('../../.local-database.json', import.meta.url))

const textOf = (file: string): string | undefined => {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
}
