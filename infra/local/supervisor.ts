import type { ServerStart } from './server-thread.ts'
import type { SourceWatch } from './source-watch.ts'
import type { ServerThread } from './worker.ts'

// A server ends sooner by itself, unless a function is in an endless loop.
const END_MS = 11_000
const RESTART_MS = 2000

/**
 * Runs the local server in a thread until the process is told to stop; if it watches, in a new
 * thread after each change of a source. A start has four steps:
 *
 * 1. A thread loads the sources and prepares the database. It says `loaded`.
 * 2. The port, which was reserved until now, is freed. The thread is told to `listen`.
 * 3. It listens and says `serving`.
 * 4. After a change or at the end, it is told to `stop`, and completes its requests.
 *
 * Returns 0, or another exit code if a thread ended by itself. If it watches, that ends it only
 * before the first server serves: a change can mend a later one.
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
