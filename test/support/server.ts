import { type ChildProcess, type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { LOCAL_API_KEY } from '../../infra/local/database/local-api-key.ts'
import type { Pet } from '../../shared/pets/pet.ts'
import { service } from '../../shared/service.ts'
import { sendUntilServed } from './http.ts'
import { refuseSecrets } from './secrets.ts'

/** A local server as `npm start` runs it, in a process of its own. */
export type LocalServer = {
  baseUrl: string
  apiKey: string
  process: ChildProcess
  /** Everything that it has printed so far. */
  output: () => string
  /** Sends it a signal (SIGTERM), and returns its exit code. Throws if it has printed a secret. */
  stop: (signal?: NodeJS.Signals) => Promise<number | null>
}

/**
 * Starts the local server on a free port, by default without examples, and waits until it is
 * ready.
 */
export const startServer = (
  args = ['--empty'],
  env: Record<string, string> = {},
): Promise<LocalServer> => {
  const options = ['--port=0', '--no-watch', ...args]
  const command = [endWithParent, 'infra/local/main.ts', ...options]
  return ready(spawn(process.execPath, command, { env: { ...leastEnvironment, ...env } }))
}

/**
 * A port for a server that restarts. Between, the system must not give it to somebody else: it
 * gives no such ports. The next one is for the database.
 */
export const restartPort = (): number => 2 * randomInt(5000, 10_000)

/** Waits until a process has printed its address. */
export const ready = async (child: ChildProcessWithoutNullStreams): Promise<LocalServer> => {
  const exited = once(child, 'exit')
  let output = ''
  let found: string | undefined
  const baseUrl = await new Promise<string>((resolve, reject) => {
    const read = (chunk: Buffer) => {
      output += chunk
      // Searching all output again would take ever longer under load.
      found ??= /Reference +(\S+)\/docs\s.+Database .+\n/s.exec(output)?.[1]
      if (found) resolve(found)
    }
    child.stdout.on('data', read)
    child.stderr.on('data', read)
    exited.then(([code]) => reject(new Error(`The local server ended with ${code}: ${output}`)))
  })
  const stop = async (signal: NodeJS.Signals = 'SIGTERM') => {
    child.kill(signal)
    const [code] = await exited
    refuseSecrets('infra/local/main.ts', output)
    return code
  }
  return { baseUrl, apiKey: LOCAL_API_KEY, process: child, output: () => output, stop }
}

/** Starts a local server until the test ends. */
export const startTestServer = async (
  ...settings: Parameters<typeof startServer>
): Promise<LocalServer> => {
  const server = await startServer(...settings)
  onTestFinished(async () => {
    if (server.process.exitCode === null && server.process.signalCode === null)
      await server.stop('SIGKILL')
  })
  return server
}

/** Creates a folder that is removed when the test run ends (see global-setup.ts). */
export const temporaryFolder = (): string => mkdtempSync(join(tmpdir(), `${service.name}-`))

/** The headers of a request with the API key of a server. */
export const headersOf = ({ apiKey }: Pick<LocalServer, 'apiKey'>) => ({
  Authorization: `Bearer ${apiKey}`,
  'Content-Type': 'application/json',
})

/** Lists all pets, or those of a filter such as `&status=sold`, page by page. */
export const listAll = async (server: LocalServer, filter = ''): Promise<Pet[]> => {
  const pets: Pet[] = []
  for (let path = `/pets?limit=100${filter}`; path; ) {
    const { body, headers } = await sendUntilServed(server.baseUrl, {
      path,
      headers: headersOf(server),
    })
    pets.push(...(body as Pet[])) // As the service returns them.
    path = /<(\S+)>; rel="next"/.exec(headers.link ?? '')?.[1]?.replace(server.baseUrl, '') ?? ''
  }
  return pets
}

/** The smallest environment of a command. The compile cache takes 0.1 s off the start of a server. */
export const leastEnvironment = {
  PATH: process.env.PATH ?? '',
  NODE_COMPILE_CACHE: join(tmpdir(), `${service.name}-compile-cache`),
}

// When the process that started it ends, even by SIGKILL, the operating system closes its standard
// input.
export const endWithParent =
  '--import=data:text/javascript,process.stdin.on("end",()=>process.exit()).resume().unref()'
