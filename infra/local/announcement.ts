import { lstatSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import * as v from 'valibot'
import { tableName } from '../../shared/data/tables.ts'

// Whoever can write into the folder can announce a server. So nothing but an address on this machine is believed, and
// nothing but printable text is accepted.
const LoopbackUrl = v.pipe(
  v.string(),
  v.regex(
    /^https?:\/\/(localhost|127(\.\d+){3}|\[::1\])(:\d+)?(\/[\w.-]*)*$/,
    'It does not listen on a loopback address.',
  ),
)
const TableName = v.pipe(v.string(), v.regex(/^[\w.-]{3,255}$/)) // DynamoDB's rule.
const Announcement = v.object({ endpoint: LoopbackUrl, baseUrl: LoopbackUrl, apiKeysTable: TableName })
const AnnouncementText = v.pipe(v.string(), v.parseJson(), Announcement)

/** The addresses of a local server and of its database, for the commands that work on a running server. */
export type Announcement = v.InferOutput<typeof Announcement>

/**
 * Announces the server of this process until the process ends, in the file `.local-server.<port>.json` at the top of the
 * repository. LOCAL_SERVERS names another folder; an empty value turns announcements off.
 */
export const announce = (baseUrl: string): void => {
  const folder = folderOf(process.env)
  if (!folder) return
  const file = join(folder, `.local-server.${new URL(baseUrl).port}.json`)
  const announcement = { endpoint: process.env.AWS_ENDPOINT_URL_DYNAMODB, baseUrl, apiKeysTable: tableName('apiKeys') }
  const text = JSON.stringify({ ...announcement, process: process.pid })
  try {
    v.assert(Announcement, announcement)
    rmSync(file, { force: true })
    // A new file: an existing one may be a link to another file, or a pipe that nobody reads.
    writeFileSync(file, text, { flag: 'wx' })
    process.on('exit', () => {
      if (read(file)?.text === text) rmSync(file) // Otherwise, a later server announced itself on this port.
    })
  } catch (error) {
    // The API works without the file.
    const reason = error instanceof Error ? error.message : error
    console.warn('The keys and smoke commands will not find this server:', reason)
  }
}

/** Reads the announcements of all local servers. The server that started last comes first. */
export const readAnnouncements = (environment: NodeJS.ProcessEnv): Announcement[] => {
  const folder = folderOf(environment)
  const names = folder ? readdirSync(folder).filter((name) => /^\.local-server\.\d+\.json$/.test(name)) : []
  return names
    .flatMap((name) => read(join(folder, name)) ?? [])
    .sort((a, b) => b.writtenAt - a.writtenAt)
    .map(({ text }) => v.safeParse(AnnouncementText, text))
    .flatMap(({ success, output }) => (success ? [output] : []))
}

const folderOf = ({ LOCAL_SERVERS }: NodeJS.ProcessEnv): string =>
  LOCAL_SERVERS ?? fileURLToPath(new URL('../..', import.meta.url))

/** Reads a small regular file: a pipe or a device might never end. Returns `undefined` if it is not one, or is gone. */
const read = (file: string): { text: string; writtenAt: number } | undefined => {
  try {
    const stats = lstatSync(file)
    const isReadable = stats.isFile() && stats.size <= 1000
    return isReadable ? { text: readFileSync(file, 'utf8'), writtenAt: stats.mtimeMs } : undefined
  } catch {
    return undefined
  }
}
