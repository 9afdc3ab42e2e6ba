import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { type FSWatcher, watch } from 'node:fs'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const FOLDERS = ['functions', 'infra', 'shared']
const SETTLE_MS = 10 // An editor or git writes several times.

/**
 * Runs the local server in a process of its own, and replaces it when a source file changes or when it is killed. It uses
 * the database of this process, which therefore keeps its pets and keys. Returns a function that stops it.
 */
export const serveAndWatch = (args: string[]): (() => Promise<void>) => {
  let server: ChildProcess
  let next: ChildProcess | undefined
  let wasReady = false
  const serve = (reason: string) => {
    let isReady = false
    const child = next?.connected ? next : prepare(args)
    next = undefined
    server = child
    // It sends a message when it is ready. Preparing the next one earlier would slow it down.
    child.once('message', () => {
      isReady = true
      wasReady = true
      next = prepare(args)
    })
    child.once('exit', (code, signal) => {
      if (isReplaced.has(child)) return
      if (isReady) serve(`the server had ended with ${signal ?? code}`)
      else process.stderr.write('Waiting for a change.\n') // It has printed what is wrong.
    })
    // The first server prints its addresses, and the others only the reason for their start.
    child.send(wasReady ? reason : '', () => {})
  }
  serve('')
  let replaced = Promise.resolve()
  const unwatch = onChange((file) => {
    replaced = replaced.then(() => end(server)).then(() => serve(`${file} changed`))
  })
  return async () => {
    unwatch()
    isReplaced.add(server)
    await replaced
    server.removeAllListeners('message')
    await end(server)
    if (next) await end(next)
  }
}

/** Processes that this one ends. Any other that ends after it was ready is started again. */
const isReplaced = new WeakSet<ChildProcess>()

/** Starts a server that waits for a message before it loads its sources. */
const prepare = (args: string[]): ChildProcess => fork(`${ROOT}infra/local/standby.ts`, args)

const end = async (child: ChildProcess): Promise<void> => {
  isReplaced.add(child)
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill('SIGTERM')
  await once(child, 'exit')
}

/** Calls `changed` with a source file that has changed. Returns a function that stops it. */
const onChange = (changed: (file: string) => void): (() => void) => {
  let watchers: FSWatcher[] = []
  let timer: NodeJS.Timeout | undefined
  let source: string | undefined
  const watchAll = () => {
    // Watch again after each change: a watcher loses a file that is replaced, as git and many editors do it.
    for (const watcher of watchers) watcher.close()
    watchers = FOLDERS.map((folder) =>
      watch(`${ROOT}${folder}`, { recursive: true }, (_event, file) => {
        if (file?.endsWith('.ts')) source ??= `${folder}/${file}`
        clearTimeout(timer)
        timer = setTimeout(settled, SETTLE_MS)
      }),
    )
  }
  const settled = () => {
    watchAll()
    if (source) changed(source)
    source = undefined
  }
  watchAll()
  return () => {
    clearTimeout(timer)
    for (const watcher of watchers) watcher.close()
  }
}
