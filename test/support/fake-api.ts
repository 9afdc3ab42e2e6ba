import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { onTestFinished } from 'vitest'
import { newApiKey } from '../../shared/model/api-key.ts'

export type FakeResponse = { status: number; headers?: Record<string, string>; body?: string | Buffer }

type FakeRequest = { method: string; path: string; headers: IncomingHttpHeaders; body: string }

/**
 * What happens to a request: a response; a connection that breaks before the response (`cut`) or in the middle of it
 * (`cutResponse`); no response at all (`silence`); one without end (`endless`); or one that is not HTTP, but the request's
 * header `Authorization` (`echo`).
 */
export type Fate = FakeResponse | 'cut' | 'cutResponse' | 'silence' | 'endless' | 'echo'

/** Decides what happens to a request. */
type Decision = (request: FakeRequest) => Promise<Fate>

/** An error of the API. */
export const error = (status: number, headers: Record<string, string> = {}): FakeResponse => ({
  status,
  headers: { 'X-Request-Id': 'abc=', ...headers },
  body: JSON.stringify({ code: 'made_up', message: 'Made by the test.', status }),
})

/** Serves on a free port until the test ends. Each request meets one of `fates`, in order; later ones meet the last. */
export const serve = async (...fates: (Fate | Decision)[]) => {
  const requests: FakeRequest[] = []
  const respond = async (message: IncomingMessage, response: ServerResponse) => {
    const fate = fates[Math.min(requests.length, fates.length - 1)] ?? 'silence'
    const { method = '', url: path = '', headers } = message
    const request = { method, path, headers, body: await text(message) }
    requests.push(request)
    meet(typeof fate === 'function' ? await fate(request) : fate, response)
  }
  // It throws when the client disconnects.
  const server = createServer((message, response) => void respond(message, response).catch(() => response.destroy()))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => server.close().closeAllConnections())
  const { port } = server.address() as AddressInfo // Only a server on a pipe has another kind of address.
  return { baseUrl: `http://127.0.0.1:${port}/v1`, apiKey: newApiKey('local'), requests }
}

const meet = (fate: Fate, response: ServerResponse): void => {
  if (fate === 'silence') return
  if (fate === 'cut') return void response.destroy()
  if (fate === 'echo') return void response.socket?.end(`${response.req.headers.authorization}`)
  if (fate === 'endless') return void Readable.from(endlessSpaces()).pipe(response)
  const { status, headers, body = '' }: FakeResponse = fate === 'cutResponse' ? { status: 200, body: '[' } : fate
  response.writeHead(status, { 'Content-Type': 'application/json', ...headers })
  if (fate === 'cutResponse') response.write(body, () => response.destroy())
  else response.end(body)
}

function* endlessSpaces() {
  for (;;) yield ' '.repeat(65_536)
}
