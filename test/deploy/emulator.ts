import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { Agent, createServer, request } from 'node:http'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { LOOPBACK, listen, listeningAddress } from '../../infra/local/ports.ts'
import { environment, type ProcessSettings, startProcess } from '../support/process.ts'

const REGION = 'eu-central-1'

// A function's process serves one request at a time, so this also limits the number of processes.
// One hundred processes take longer to start than the functions wait for DynamoDB.
const MAX_CONNECTIONS = 8

/** An emulated AWS: its address, and the environment of commands that use it. */
export type Emulator = { address: string; env: NodeJS.ProcessEnv }

/**
 * Starts an empty emulated AWS (MiniStack) on a free port of this machine alone, and waits until it
 * is ready.
 */
export const startEmulator = async (
  python: string,
  folder: string,
  output: ProcessSettings['output'],
): Promise<Emulator> => {
  // New ones each time, because CDK caches the account of an access key. They may do everything.
  const credentials = { AWS_ACCESS_KEY_ID: randomUUID(), AWS_SECRET_ACCESS_KEY: randomUUID() }
  const port = await freePort()
  const address = `http://127.0.0.1:${port}`
  const child = startProcess(python, ['-m', 'ministack'], {
    env: { ...environment, ...credentials, ...settings(port, folder) },
    stdio: ['ignore', output, output],
  })
  while (!(await isReady(address))) {
    const ended = child.exitCode ?? child.signalCode
    if (ended !== null) throw new Error(`The emulated AWS ended with ${ended}.`)
    await setTimeout(50)
  }
  const env = {
    ...environment,
    ...credentials,
    AWS_ENDPOINT_URL: await startProxy(address, 'https'), // CDK's bucket refuses requests without TLS.
    AWS_REGION: REGION,
    AWS_DEFAULT_REGION: REGION, // For version 1 of the AWS command.
    // This machine's own configuration may be for a real account.
    AWS_CONFIG_FILE: '/nowhere',
    AWS_SHARED_CREDENTIALS_FILE: '/nowhere',
    CDK_HOME: folder,
  }
  return { address, env }
}

/**
 * Starts a proxy that forwards to `target`, and tells it that requests came over `protocol`. It
 * gives a deployed API an origin of its own, as on AWS: the emulator serves all APIs below paths of
 * one origin, which are missing in the links of responses.
 */
export const startProxy = async (target: string, protocol: 'http' | 'https'): Promise<string> => {
  const { hostname, port, pathname } = new URL(target)
  const agent = new Agent({ maxSockets: MAX_CONNECTIONS })
  const server = createServer((incoming, outgoing) => {
    const { method, url, rawHeaders } = incoming
    const headers = [...rawHeaders, 'X-Forwarded-Proto', protocol]
    const path = pathname.replace(/\/$/, '') + url
    const forwarded = request({ agent, hostname, port, method, path, headers })
    forwarded.on('error', () => outgoing.destroy())
    forwarded.on('response', (response) => {
      outgoing.writeHead(response.statusCode ?? 0, response.rawHeaders)
      response.pipe(outgoing)
    })
    incoming.pipe(forwarded)
  })
  await listen(server, 0, LOOPBACK)
  return `http://${LOOPBACK}:${listeningAddress(server).port}`
}

const settings = (port: number, folder: string): Record<string, string> => ({
  BIND_HOST: '127.0.0.1',
  GATEWAY_PORT: `${port}`,
  MINISTACK_REGION: REGION,
  AUTH: 'true', // Enforces the permissions of each function's role.
  LAMBDA_EXECUTOR: 'local', // Runs functions with the first `node` of the PATH.
  DOCKER_HOST: 'unix:///nowhere', // It would remove containers that look like its own.
  IOT_MTLS_ENABLED: '0', // It would listen on port 8883.
  TMPDIR: folder,
  STATE_DIR: join(folder, 'state'),
  S3_DATA_DIR: join(folder, 's3'),
})

const freePort = async (): Promise<number> => {
  const server = await listen(createServer(), 0, LOOPBACK)
  const { port } = listeningAddress(server)
  await once(server.close(), 'close')
  return port
}

const isReady = (address: string): Promise<boolean> =>
  fetch(`${address}/_ministack/ready`).then(
    ({ ok }) => ok,
    () => false,
  )
