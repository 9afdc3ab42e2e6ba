import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import * as v from 'valibot'
import type { StoredApiKey } from '../../shared/data/api-keys.ts'
import { setting } from '../../shared/data/tables.ts'
import { digestOf } from '../../shared/model/api-key.ts'

/** Where a local server and its database are: for commands that work on a running one. */
export const Announcement = v.object({ endpoint: v.string(), baseUrl: v.string(), apiKeysTable: v.string() })
export type Announcement = v.InferOutput<typeof Announcement>

/**
 * Writes down, as long as this process lives, where it serves the API and which database it uses. Of two servers the
 * later one is found. The file is at the top of the repository, or where LOCAL_DATABASE_FILE says (nowhere if empty).
 */
export const announce = (baseUrl: string): void => {
  const file = fileOf(process.env)
  if (!file) return
  const endpoint = process.env.AWS_ENDPOINT_URL_DYNAMODB ?? ''
  const text = `${JSON.stringify({ endpoint, baseUrl, apiKeysTable: setting('apiKeysTable') })}\n`
  try {
    // Renamed into place, so that nobody reads a part of it.
    writeFileSync(`${file}.${process.pid}`, text)
    renameSync(`${file}.${process.pid}`, file)
  } catch (error) {
    // The API works without it.
    console.warn(
      'The keys and smoke commands will not find this server:',
      error instanceof Error ? error.message : error,
    )
  }
  process.on('exit', () => {
    // Another server's announcement is left alone.
    if (textOf(file) === text) rmSync(file, { force: true })
  })
}

/** The announcement of the local server that was started last; `undefined` where none is running. */
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

/** The API key of every local database, fixed so that documentation can show it. Nowhere else is it good. */
export const LOCAL_API_KEY = 'pet_local_forDevelopmentOnOneMachineOnly002lJW3V'

/** It as it is stored. */
export const storedLocalApiKey: StoredApiKey = {
  digest: digestOf(LOCAL_API_KEY),
  keyId: 'local',
  clientId: 'local',
  name: 'Local development',
  createdAt: '2026-11-20T00:00:00.000Z',
}

/** The AWS settings that the SDK wants, and that a local database does not look at. */
export const placeholders = { AWS_REGION: 'us-east-1', AWS_ACCESS_KEY_ID: 'local', AWS_SECRET_ACCESS_KEY: 'local' }
