import { once } from 'node:events'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { onTestFinished } from 'vitest'
import type { ClientOptions } from '../../../shared/client/client.ts'

/** A response that a test makes up. */
export type MadeUp = { status: number; headers?: Record<string, string>; body?: string }

/**
 * What happens to a request. `pass`: the real API responds. `cut`: the connection breaks before the API gets the request;
 * `loseResponse`: after it. `cutResponse`: the connection breaks in the middle of the response. `silence`: no response.
 */
export type Fate = 'pass' | 'cut' | 'loseResponse' | 'cutResponse' | 'silence' | MadeUp

/** A request that the fake API received; `at` is in milliseconds. */
type ReceivedRequest = { method: string; path: string; headers: IncomingMessage['headers']; body: string; at: number }

/** The address of a fake API, a key for it, and the requests that it received. */
export type FakeApi = { baseUrl: string; apiKey: string; requests: ReceivedRequest[] }

/** The error body of a status. */
export const errorBody = (status: number): string =>
  JSON.stringify({ code: 'made_up', message: 'Made by the test.', status })

/**
 * Serves on a free port until the test ends. Each request meets one of `fates`, in order, later ones meet the last.
 *
 * @param real the API that requests pass to
 */
export const serve = async (fates: Fate[], real?: ClientOptions): Promise<FakeApi> => {
  const requests: ReceivedRequest[] = []
  const respond = async (message: IncomingMessage, response: ServerResponse) => {
    const fate = fates[Math.min(requests.length, fates.length - 1)] ?? 'pass'
    const { method = '', url: path = '', headers } = message
    const received = { method, path, headers, body: await text(message), at: performance.now() }
    requests.push(received)
    await meet(fate, response, () => forward(real, received))
  }
  // It throws when the client disconnects.
  const server = createServer((message, response) => void respond(message, response).catch(() => response.destroy()))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => server.close().closeAllConnections())
  const { port } = server.address() as AddressInfo // Only a server on a pipe has another kind of address.
  return { baseUrl: `http://127.0.0.1:${port}/v1`, apiKey: real?.apiKey ?? 'pet_local_aKey', requests }
}

const meet = async (fate: Fate, response: ServerResponse, passed: () => Promise<MadeUp>): Promise<void> => {
  if (fate === 'silence') return
  if (fate === 'cut') return void response.destroy()
  const { status, headers, body = '' } = typeof fate === 'string' ? await passed() : fate
  if (fate === 'loseResponse') return void response.destroy()
  response.writeHead(status, { 'Content-Type': 'application/json', ...headers })
  if (fate === 'cutResponse') response.write(body.slice(0, 1), () => response.destroy())
  else response.end(body)
}

const forward = async (real: ClientOptions | undefined, received: ReceivedRequest): Promise<MadeUp> => {
  if (!real) throw new Error('No API to pass the request to.')
  const { path, method, headers, body } = received
  const [response] = await once(request(new URL(path, real.baseUrl), { method, headers }).end(body), 'response')
  return { status: response.statusCode, headers: response.headers, body: await text(response) }
}
