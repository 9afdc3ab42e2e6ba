import { once } from 'node:events'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { environment, type Surroundings, start } from '../support/process.ts'
import { type Account, credentialsEnvironment, REGION } from './account.ts'

type Options = { credentials: Account['credentials']; output: Surroundings['output'] }

/** Starts an empty emulated AWS on a free port of this machine alone, and waits until it is ready. Returns its address. */
export const startEmulator = async (
  python: string,
  folder: string,
  { credentials, output }: Options,
): Promise<string> => {
  const port = await freePort()
  const env = { ...environment, ...credentialsEnvironment(credentials), ...settings(port, folder) }
  const child = start(python, ['-m', 'ministack'], { env, output })
  const endpoint = `http://127.0.0.1:${port}`
  while (!(await isReady(endpoint))) {
    const ended = child.exitCode ?? child.signalCode
    if (ended !== null) throw new Error(`The emulated AWS ended with ${ended}.`)
    await setTimeout(50)
  }
  return endpoint
}

const settings = (port: number, folder: string): Record<string, string> => ({
  BIND_HOST: '127.0.0.1',
  GATEWAY_PORT: `${port}`,
  MINISTACK_REGION: REGION,
  AUTH: 'true', // A function may do what its role grants, and no more.
  LAMBDA_EXECUTOR: 'local', // Functions run as processes of the Node.js that comes first on the PATH.
  DOCKER_HOST: 'unix:///nowhere', // Or else it clears away the containers that it takes for its own.
  IOT_MTLS_ENABLED: '0', // Or else it takes port 8883, too.
  TMPDIR: folder,
  STATE_DIR: join(folder, 'state'),
  S3_DATA_DIR: join(folder, 's3'),
})

const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  if (address === null || typeof address === 'string') throw new Error('A TCP server has a port.')
  return address.port
}

const isReady = async (endpoint: string): Promise<boolean> => {
  try {
    return (await fetch(`${endpoint}/_ministack/ready`)).ok
  } catch {
    return false
  }
}
