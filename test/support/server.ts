import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A local server as `npm start` runs it, in a process of its own. */
export type LocalServer = {
  baseUrl: string
  apiKey: string
  process: ChildProcess
  /** Everything that it has printed so far. */
  output: () => string
  /** Sends it a signal (SIGTERM), and returns its exit code. */
  stop: (signal?: NodeJS.Signals) => Promise<number | null>
}

/** Starts the local server on a free port, and waits until it is ready. `folder` has its sources. */
export const startServer = async (
  args: string[] = [],
  env: Record<string, string> = {},
  folder = '',
): Promise<LocalServer> => {
  const child = run(['--port', '0', ...args], env, folder)
  const exited = once(child, 'exit')
  let output = ''
  let isReady = false
  const ready = new Promise<string[]>((resolve, reject) => {
    const read = (chunk: Buffer) => {
      output += chunk
      if (isReady) return // Searching all output again would take ever longer under load.
      const [, baseUrl, apiKey] = /Base address +(\S+)\s+API key +(\S+)/.exec(output) ?? []
      isReady = Boolean(baseUrl && apiKey)
      if (baseUrl && apiKey) resolve([baseUrl, apiKey])
    }
    child.stdout?.on('data', read)
    child.stderr?.on('data', read)
    exited.then(([code]) => reject(new Error(`The local server ended with ${code}: ${output}`)))
  })
  const [baseUrl = '', apiKey = ''] = await ready
  const stop = async (signal: NodeJS.Signals = 'SIGTERM') => {
    child.kill(signal)
    const [code] = await exited
    return code
  }
  return { baseUrl, apiKey, process: child, output: () => output, stop }
}

/**
 * The least environment of a command, with a compile cache for Node.js: the local server then starts with 0.27 s of CPU
 * time instead of 0.39 s.
 */
export const leastEnvironment = {
  PATH: process.env.PATH ?? '',
  NODE_COMPILE_CACHE: join(tmpdir(), 'pet-store-compile-cache'),
}

/** The option of Node.js that makes a process end with this one. */
const endWithParent = `--import=${new URL('end-with-parent.ts', import.meta.url)}`

/** Starts the command behind `npm start`. */
const run = (args: string[], env: Record<string, string>, folder: string): ChildProcess =>
  spawn(process.execPath, [endWithParent, join(folder, 'infra/local/main.ts'), ...args], {
    env: { ...leastEnvironment, LOCAL_SERVERS: '', ...env },
  })
