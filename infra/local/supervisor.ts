import { spawnSync } from 'node:child_process'
import { globSync, statSync, watch } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { inspect } from 'node:util'
import { Worker } from 'node:worker_threads'
import type { ThreadData, ThreadMessage, ThreadOrder } from './server-thread.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
// The server ends sooner by itself, unless a function is in an endless loop.
const END_MS = 11_000
const RESTART_MS = 2000

/**
 * Runs the local server in a thread until `stopped`; if it `watches`, in a new thread after each
 * change of a source. A start has four steps:
 *
 * 1. A thread loads the sources and prepares the database. It says `loaded`.
 * 2. `freePort` frees the port, which was reserved until now. The thread is told to `listen`.
 * 3. It listens and says `serving`.
 * 4. After a change or at the end, it is told to `stop`, and completes its requests.
 *
 * Returns 0, or another exit code if a thread ended by itself. If it watches, that ends it only
 * before the first server serves: a change can mend a later one.
 */
export const runServers = async (
  data: ThreadData,
  watches: boolean,
  freePort: () => void,
  stopped: Promise<unknown>,
): Promise<number> => {
  let hasServed = false
  let change: string | undefined
  do {
    // Before the thread reads the sources, so that no change is missed.
    const nextChange = watches ? sourceChange(stopped) : stopped.then(() => undefined)
    const thread = startThread({ ...data, change: hasServed ? change : undefined }, freePort)
    thread.serving.then(() => {
      hasServed = true
    })
    const code = await Promise.race([thread.ended, nextChange.then(() => undefined)])
    if (code !== undefined) {
      if (!(watches && hasServed)) return code || 1
      process.stderr.write(`The server has ended with exit code ${code}. Waiting for a change.\n`)
    }
    change = await nextChange
    await thread.stop(change === undefined ? END_MS : RESTART_MS)
  } while (change !== undefined)
  return 0
}

const startThread = (workerData: ThreadData, freePort: () => void) => {
  const worker = new Worker(`${ROOT}infra/local/server-thread.ts`, { execArgv: [], workerData })
  const tell = (order: ThreadOrder) => worker.postMessage(order)
  const { promise: serving, resolve } = Promise.withResolvers<void>()
  worker.on('error', report)
  worker.on('message', (message: ThreadMessage) => {
    if (message === 'serving') return resolve()
    freePort()
    tell('listen')
  })
  const ended = new Promise<number>((resolve) => worker.once('exit', resolve))
  /** Lets the server complete its requests within `limitMs`. */
  const stop = async (limitMs: number): Promise<void> => {
    tell('stop')
    await Promise.race([ended, pause(limitMs, undefined, { ref: false })])
    await worker.terminate()
  }
  return { serving, ended, stop }
}

/** Prints what a thread threw, and above it the file at fault, with the line if it is known. */
const report = (thrown: unknown): void => {
  const error = thrown instanceof Error ? thrown : undefined
  const place = /(?<=imported from )\S+|\b(functions|infra|shared)\/[\w./-]+\.ts:\d+/
  const [file] = place.exec(withoutRoot(error?.stack ?? '')) ?? []
  const cause = error ? `${error.name}: ${error.message}` : inspect(thrown)
  process.stderr.write(withoutRoot(`${file ? `${file}\n` : ''}${cause}\n`))
}

const withoutRoot = (text: string): string =>
  text.replaceAll(`file://${ROOT}`, '').replaceAll(ROOT, '')

/** The next source file that changes; `undefined` when the server is `stopped` before. */
const sourceChange = (stopped: Promise<unknown>): Promise<string | undefined> => {
  const { promise, resolve } = Promise.withResolvers<string>()
  // Each folder for itself: a recursive watcher loses files that git and editors replace.
  const folders = globSync('{functions,infra,shared}/{,**/}', { cwd: ROOT })
  const watchers = folders.map((folder) =>
    watch(`${ROOT}${folder}`, (_event, name) => {
      const file = join(folder, name ?? '')
      // An editor or git writes several times.
      if (isSource(file) && !isIgnored(file)) setTimeout(resolve, 10, file)
    }),
  )
  return Promise.race([promise, stopped.then(() => undefined)]).finally(() => {
    for (const watcher of watchers) watcher.close()
  })
}

/** Whether a file is a source, or a folder, which may be new and have sources. */
const isSource = (file: string): boolean =>
  file.endsWith('.ts') || (statSync(ROOT + file, { throwIfNoEntry: false })?.isDirectory() ?? false)

/** Whether git ignores a file. Without git, it ignores none. */
const isIgnored = (file: string): boolean =>
  spawnSync('git', ['check-ignore', '--quiet', file], { cwd: ROOT }).status === 0
