// How the main thread (supervisor.ts, worker.ts) starts and stops the thread of a server
// (server-thread.ts):
//
// 1. The thread loads the sources and prepares the database: `adding`, `loaded`.
// 2. The main thread frees the port, which was reserved until now, and orders `listen`.
// 3. The thread listens: `serving`.
// 4. After a change or at the end, it is ordered to `stop`, and completes its requests.
import type { LocalDatabase } from './database/local-database.ts'

/** The `workerData` of a thread. */
export type ThreadData = {
  host: string
  port: number
  database: LocalDatabase
  empty: boolean
  start: ServerStart
}

/**
 * Why a thread starts: no server has served yet, and an earlier thread may have `added` examples;
 * or a source has `changed`.
 */
export type ServerStart =
  | { kind: 'first'; added: string | undefined }
  | { kind: 'restart'; changed: string | undefined }

/** From the thread. `added` names the examples that the database got. */
export type ThreadMessage =
  | { kind: 'adding' }
  | { kind: 'loaded'; added: string | undefined }
  | { kind: 'serving' }

/** To the thread. */
export type ThreadOrder = 'listen' | 'stop'
