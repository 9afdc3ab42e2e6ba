import type { SourceWatch } from './source-watch.ts'
import type { ServerStart } from './thread-protocol.ts'
import type { ServerThread } from './worker.ts'

// How long a server may complete its requests. At the end, it needs at most the time limit of
// functions, 10 s, unless one is in an endless loop.
const END_MS = 11_000
const RESTART_MS = 2000

/**
 * Runs the local server in a thread until the process is told to stop; while watching, in a new
 * thread after each change of a source. thread-protocol.ts has the steps. Returns 0, or another
 * exit code if a thread crashed. While watching, a crash only waits for a change, unless no thread
 * has served yet.
 */
export const runServers = async (
  start: (start: ServerStart) => ServerThread,
  watch: () => SourceWatch,
): Promise<number> => {
  let hasServed = false
  let added: string | undefined
  let changed: string | undefined
  do {
    // Before the thread reads the sources, so that no change is missed.
    const { isWatching, change } = watch()
    const thread = start(hasServed ? { kind: 'restart', changed } : { kind: 'first', added })
    thread.serving.then(() => {
      hasServed = true
    })
    const code = await Promise.race([thread.ended, change.then(() => undefined)])
    if (code !== undefined) {
      if (!(isWatching && hasServed)) return code || 1
      process.stderr.write(`The server has ended with exit code ${code}. Waiting for a change.\n`)
    }
    changed = await change
    await thread.stop(changed === undefined ? END_MS : RESTART_MS)
    added = thread.added() ?? added
  } while (changed !== undefined)
  return 0
}
