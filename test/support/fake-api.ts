import { once } from 'node:events'
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http'
import { text } from 'node:stream/consumers'
import { onTestFinished } from 'vitest'
import { listeningAddress } from '../../infra/local/ports.ts'
import { service } from '../../shared/service.ts'

export type FakeResponse = {
  status: number
  headers?: Record<string, string>
  body?: string
}

export type FakeRequest = {
  method: string
  path: string
  headers: IncomingHttpHeaders
  body: string
}

/**
 * What happens to a request: a response; a connection that breaks before the response (`cut`) or in
 * the middle of it (`cutResponse`); no response at all (`silence`), or one without end (`drip`).
 */
export type Fate = FakeResponse | 'cut' | 'cutResponse' | 'silence' | 'drip'

/** Decides what happens to a request. */
type Decision = (request: FakeRequest) => Promise<Fate>

/**
 * Serves on a free port until the test ends. Each request meets one of `fates`, in order; later
 * ones meet the last.
 */
export const serveFake = async (...fates: (Fate | Decision)[]) => {
  const requests: FakeRequest[] = []
  const { server, port } = await listen(async (request) => {
    const fate = fates[Math.min(requests.length, fates.length - 1)] ?? 'silence'
    requests.push(request)
    return typeof fate === 'function' ? await fate(request) : fate
  })
  onTestFinished(() => server.close().closeAllConnections())
  return { baseUrl: `http://127.0.0.1:${port}${service.basePath}`, requests }
}

/** Starts a server on a free port. `settled` waits for the requests that it is serving. */
export const listen = async (decide: Decision) => {
  const pending = new Set<Promise<void>>()
  const respond = async (message: IncomingMessage, response: ServerResponse) => {
    const { method = '', url: path = '', headers } = message
    meet(await decide({ method, path, headers, body: await text(message) }), response)
  }
  const server = createServer((message, response) => {
    // It rejects when the client disconnects.
    const served = respond(message, response).catch(() => void response.destroy())
    pending.add(served)
    served.finally(() => pending.delete(served))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = listeningAddress(server)
  return { server, port, settled: () => Promise.all(pending) }
}

const meet = (fate: Fate, response: ServerResponse): void => {
  if (fate === 'silence') return
  if (fate === 'cut') return void response.destroy()
  if (fate === 'drip') return void drip(response)
  const {
    status,
    headers,
    body = '',
  }: FakeResponse = fate === 'cutResponse' ? { status: 200, body: '[' } : fate
  response.sendDate = false // Of another time (clock.ts), it makes the SDK resend.
  response.writeHead(status, { 'Content-Type': 'application/json', ...headers })
  if (fate === 'cutResponse') response.write(body, () => response.destroy())
  else response.end(body)
}

const drip = (response: ServerResponse): void => {
  const timer = setInterval(() => response.write(' '), 50)
  response.on('close', () => clearInterval(timer))
}
