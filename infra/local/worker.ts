import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { inspect } from 'node:util'
import { Worker } from 'node:worker_threads'
import type { ThreadData, ThreadMessage, ThreadOrder } from './thread-protocol.ts'

/** The checkout. */
export const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** A server in a thread of its own. */
export type ServerThread = {
  /** Resolves when it serves. */
  serving: Promise<void>
  /** Resolves to its exit code. */
  ended: Promise<number>
  /** The examples that it has added so far, in words. */
  added: () => string | undefined
  /**
   * Lets it complete its requests within `limitMs`, and all examples if it is adding them: they are
   * added once only.
   */
  stop: (limitMs: number) => Promise<void>
}

/** Starts a thread. Calls `freePort` when the thread is ready to listen. */
export const startThread = (workerData: ThreadData, freePort: () => void): ServerThread => {
  const worker = new Worker(`${ROOT}infra/local/server-thread.ts`, { execArgv: [], workerData })
  const tell = (order: ThreadOrder) => worker.postMessage(order)
  const serving = Promise.withResolvers<void>()
  const loaded = Promise.withResolvers<void>()
  const ended = new Promise<number>((resolve) => worker.once('exit', resolve))
  let isAdding = false
  let isStopping = false
  let added: string | undefined
  worker.on('error', report)
  worker.on('message', (message: ThreadMessage) => {
    if (message.kind === 'adding') isAdding = true
    if (message.kind === 'serving') serving.resolve()
    if (message.kind !== 'loaded') return
    added = message.added
    loaded.resolve()
    if (isStopping) return // The port is the next thread's.
    freePort()
    tell('listen')
  })
  const stop = async (limitMs: number): Promise<void> => {
    isStopping = true
    tell('stop')
    const limit = async () => {
      await pause(limitMs, undefined, { ref: false })
      if (isAdding) await loaded.promise
    }
    await Promise.race([ended, limit()])
    await worker.terminate()
  }
  return { serving: serving.promise, ended, added: () => added, stop }
}

/** Prints what a thread threw, below the file at fault (and the line, if it is known). */
const report = (thrown: unknown): void => {
  const error = thrown instanceof Error ? thrown : undefined
  const position = /(?<=imported from )\S+|\b(functions|infra|shared)\/[\w./-]+\.ts:\d+/
  const [file] = position.exec(withoutRoot(error?.stack ?? '')) ?? []
  const cause = error ? `${error.name}: ${error.message}` : inspect(thrown)
  process.stderr.write(withoutRoot(`${file ? `${file}\n` : ''}${cause}\n`))
}

const withoutRoot = (text: string): string =>
  text.replaceAll(`file://${ROOT}`, '').replaceAll(ROOT, '')
