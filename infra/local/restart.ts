import { fork } from 'node:child_process'
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
  stopped: Promise<void>,
): Promise<number> => {
  const end = stopped.then(() => undefined)
  let hasServed = false
  let changed: string | undefined
  do {
    // Before the server reads its sources, so that no change is missed.
    const change = isWatching ? Promise.race([nextChange(ROOT), end]) : end
    const server = startServer({ ...options, changed: hasServed ? changed : undefined })
    const code = await Promise.race([server.ended, change.then(() => undefined)])
    hasServed ||= server.hasServed()
    if (code !== undefined) {
      if (!isWatching || !hasServed) return Number(code) || 1
      process.stderr.write(`The server has ended with ${code}. Waiting for a change.\n`)
    }
    changed = await change
    await server.stop(changed === undefined ? END_MS : RESTART_MS)
    hasServed ||= server.hasServed()
  } while (changed !== undefined)
  return 0
}

const startServer = (options: ServerOptions) => {
  const server = fork(new URL('server.ts', import.meta.url), [JSON.stringify(options)], {
    execArgv: [],
    // Its standard input is for watchdog.ts.
    stdio: ['pipe', 'inherit', 'inherit', 'ipc'],
    // Ctrl-C is for this process only, which then stops the server.
    detached: true,
  })
  let hasServed = false
  server.once('message', () => {
    hasServed = true
  })
  /** Resolves to the exit code, or to the name of a signal. */
  const ended: Promise<number | string> = once(server, 'exit').then(([code, by]) => code ?? by)
  const stop = async (limitMs: number): Promise<void> => {
    server.kill('SIGTERM')
    // If it has not served, it ends at once, or when it has added the examples.
    const timer = setTimeout(() => hasServed && server.kill('SIGKILL'), limitMs)
    await ended
    clearTimeout(timer)
  }
  return { ended, hasServed: () => hasServed, stop }
}
