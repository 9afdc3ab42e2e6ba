import { globSync, watch } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
import type { Address } from './database/database.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const STOP_MS = 2000 // A function may be in an endless loop.

/** What a thread with a server gets: its database, its description, and why it starts again. */
export type ThreadData = { address: Address; database: string; reason?: string | undefined }

/** Runs the local server in a thread, a new one after each change of a source, until `stopped`. */
export const serveAndWatch = async (
  argv: string[],
  data: ThreadData,
  stopped: Promise<unknown>,
): Promise<void> => {
  let wasReady = false
  let change: string | undefined = ''
  while (change !== undefined) {
    // Before the thread reads the sources, so that no change is missed.
    const next = nextChange(stopped)
    const workerData = { ...data, reason: wasReady ? `${change} changed` : undefined }
    const thread = new Worker(`${ROOT}infra/local/main.ts`, { argv, execArgv: [], workerData })
    const ended = new Promise<number>((resolve) => thread.on('exit', resolve))
    thread.on('error', report).on('message', () => {
      wasReady = true
    })
    const code = await Promise.race([ended, next.then(() => undefined)])
    if (code !== undefined)
      process.stderr.write(`The server has ended with exit code ${code}. Waiting for a change.\n`)
    change = await next
    thread.postMessage('stop')
    await Promise.race([ended, pause(STOP_MS, undefined, { ref: false })])
    await thread.terminate()
  }
}

/** Prints two lines: the file with the error, with the line if it is known, and the cause. */
const report = ({ name, message, stack = '' }: Error): void => {
  const place = /(?<=imported from )\S+|\b(functions|infra|shared)\/[\w./-]+\.ts:\d+/
  const [file = 'shared/contract.ts'] = place.exec(withoutRoot(stack)) ?? []
  process.stderr.write(`${file}\n${name}: ${withoutRoot(message)}\n`)
}

const withoutRoot = (text: string): string =>
  text.replaceAll(`file://${ROOT}`, '').replaceAll(ROOT, '')

/** The next source file that changes; `undefined` when the server is `stopped` before. */
const nextChange = (stopped: Promise<unknown>): Promise<string | undefined> => {
  const { promise, resolve } = Promise.withResolvers<string>()
  const changed = (file: string) => {
    // An editor or git writes several times.
    if (file.endsWith('.ts')) setTimeout(resolve, 10, file)
  }
  // Each folder for itself: a recursive watcher loses files that git and editors replace.
  const folders = globSync('{functions,infra,shared}/{,**/}', { cwd: ROOT })
  const watchers = folders.map((folder) =>
    watch(`${ROOT}${folder}`, (_event, file) => changed(join(folder, file ?? ''))),
  )
  return Promise.race([promise, stopped.then(() => undefined)]).finally(() => {
    for (const watcher of watchers) watcher.close()
  })
}
