import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { ServerOptions } from './server.ts'
import { nextChange } from './source-watch.ts'

/** The checkout. */
const ROOT = fileURLToPath(new URL('../..', import.meta.url))

// How long a server may complete its requests. At the end, it needs at most the time limit of
// functions, 10 s, unless one is in an endless loop.
const END_MS = 11_000
const RESTART_MS = 2000

/**
 * Runs the API in a process of its own until `stopped`; while watching, in a new one after each
 * change of a source. Returns 0, or another exit code if a server ended by itself. While watching,
 * such an end only waits for a change, unless no server has served yet.
 */
export const runServers = async (
  options: Omit<ServerOptions, 'changed'>,
  isWatching: boolean,
  stopped: Promise<undefined>,
): Promise<number> => {
  let hasServed = false
  let changed: string | undefined
  do {
    // Before the server reads its sources, so that no change is missed.
    const change = isWatching ? Promise.race([nextChange(ROOT), stopped]) : stopped
    const server = startServer({ ...options, changed: hasServed ? changed : undefined })
    server.once('message', () => {
      hasServed = true
    })
    const ended = once(server, 'exit')
    await Promise.race([ended, change])
    const code = server.exitCode ?? server.signalCode
    if (code !== null) {
      if (!isWatching || !hasServed) return Number(code) || 1
      process.stderr.write(`The server has ended with ${code}. Waiting for a change.\n`)
    }
    changed = await change
    server.kill('SIGTERM')
    const limit = changed === undefined ? END_MS : RESTART_MS
    // The first one must not be killed while it adds the examples: it ends afterwards.
    if (hasServed) setTimeout(() => server.kill('SIGKILL'), limit).unref()
    await ended
  } while (changed !== undefined)
  return 0
}

const startServer = (options: ServerOptions): ChildProcess =>
  fork(new URL('server.ts', import.meta.url), [JSON.stringify(options)], {
    execArgv: [],
    // Its standard input is for watchdog.ts.
    stdio: ['pipe', 'inherit', 'inherit', 'ipc'],
    // Ctrl-C is for this process only, which then stops the server.
    detached: true,
  })
