import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { type FSWatcher, watch } from 'node:fs'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const FOLDERS = ['functions', 'infra', 'shared']
const SETTLE_MS = 10 // An editor or git writes several times.

/**
 * Runs the local server in a process of its own, and replaces it when a source file changes. It uses the database of
 * this process, which therefore keeps its pets and keys. Returns how to stop it.
 */
export const serveAndWatch = (args: string[]): (() => Promise<void>) => {
  let server: ChildProcess
  let next: ChildProcess | undefined
  const serve = () => {
    const child = next?.connected ? next : prepare(args)
    next = undefined
    // It sends a message when it is ready. Preparing the next one earlier would slow it down.
    child.once('message', () => {
      next = prepare(args)
    })
    child.send('start', () => {}) // If it has failed, it has said why. The next change starts another one.
    server = child
  }
  serve()
  let replaced = Promise.resolve()
  const unwatch = onChange(() => {
    replaced = replaced.then(() => end(server)).then(serve)
  })
  return async () => {
    unwatch()
    await replaced
    server.removeAllListeners('message')
    await end(server)
    if (next) await end(next)
  }
}

/** Starts a server that waits for a message before it loads its sources. */
const prepare = (args: string[]): ChildProcess =>
  fork(`${ROOT}infra/local/main.ts`, args, { execArgv: ['--import', `${ROOT}infra/local/standby.ts`] })

const end = async (child: ChildProcess): Promise<void> => {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill('SIGTERM')
  await once(child, 'exit')
}

const onChange = (changed: () => void): (() => void) => {
  let watchers: FSWatcher[] = []
  let timer: NodeJS.Timeout | undefined
  let isSource = false
  const watchAll = () => {
    // Anew after each change: a watcher loses a file that is replaced, as git and many editors do it.
    for (const watcher of watchers) watcher.close()
    watchers = FOLDERS.map((folder) =>
      watch(`${ROOT}${folder}`, { recursive: true }, (_event, file) => {
        isSource ||= file?.endsWith('.ts') ?? true
        clearTimeout(timer)
        timer = setTimeout(settled, SETTLE_MS)
      }),
    )
  }
  const settled = () => {
    watchAll()
    if (isSource) changed()
    isSource = false
  }
  watchAll()
  return () => {
    clearTimeout(timer)
    for (const watcher of watchers) watcher.close()
  }
}
