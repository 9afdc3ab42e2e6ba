import { once } from 'node:events'
import { connect } from 'node:net'
import { expect, onTestFinished, vi } from 'vitest'
import { serveRoutes as createGateway, type Route } from '../../../../infra/local/local-api.ts'
import { listeningAddress } from '../../../../infra/local/ports.ts'
import { EXPOSED_HEADERS } from '../../../../shared/pipeline/gateway-event.ts'
import { service } from '../../../../shared/service.ts'
import { type Sent, send } from '../../../support/http.ts'
import { refuseLoggedSecrets } from '../../../support/secrets.ts'

export const BASE = service.basePath

/** A request that lists pets, and the beginning of one that adds one, as they are on the wire. */
export const GET = `GET ${BASE}/pets HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`
export const POST = `POST ${BASE}/pets HTTP/1.1\r\nHost: a\r\n`

type Gateway = ReturnType<typeof createGateway>

/** A server in this process. */
type Served = Gateway & { baseUrl: string }

export type Invoke = Route['invoke']

/** Serves a function for some operations until the test ends. */
export const serveFunction = (invoke = ok): Promise<Served> => {
  const paths = { GET: '/pets', POST: '/pets', PATCH: '/pets/{petId}' }
  return serveRoutes(Object.entries(paths).map(([method, path]) => ({ method, path, invoke })))
}

/** Serves routes until the test ends. */
export const serveRoutes = (routes: Route[]): Promise<Served> =>
  listenUntilEnd(createGateway(routes))

/** Lets a server listen until the test ends, and hides its log. */
export const listenUntilEnd = async (gateway: Gateway): Promise<Served> => {
  const levels = ['info', 'warn', 'error'] as const
  const logs = levels.map((level) => vi.spyOn(console, level).mockImplementation(() => {}))
  await once(gateway.server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(async () => {
    gateway.server.close().closeAllConnections()
    for (const { mock } of logs) refuseLoggedSecrets(mock.calls)
    vi.restoreAllMocks()
  })
  return { ...gateway, baseUrl: `http://127.0.0.1:${listeningAddress(gateway.server).port}` }
}

/** Returns its event as JSON, which is how Lambda passes it to a function. */
export const echo: Invoke = async (event) => ({
  statusCode: 200,
  headers: {},
  body: JSON.stringify(event),
})

/** The function that lists no pets. */
export const ok: Invoke = async () => ({
  statusCode: 200,
  headers: { 'Content-Type': 'application/json' },
  body: '[]',
})

/** A response without the headers of its connection. */
type Response = { status: number; headers: Record<string, string>; body: unknown }

/** Sends a request, by default for the list of pets; `path` starts after the host. */
export const ask = async ({ baseUrl }: Served, request: Sent = {}): Promise<Response> => {
  const { status, headers, body } = await send(baseUrl, { path: `${BASE}/pets`, ...request })
  return { status, headers: withoutConnection(headers), body }
}

const CONNECTION = /^(connection|content-length|date|keep-alive|transfer-encoding)$/
const withoutConnection = (headers: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !CONNECTION.test(name)))

/** The headers of every response. */
const expectedHeaders: Record<string, string> = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': EXPOSED_HEADERS,
  'cache-control': 'no-store',
  'content-type': 'application/json',
  'x-content-type-options': 'nosniff',
  'x-request-id': expect.stringMatching(/^[\w-]{15}=$/),
}

/** A whole gateway response. */
export const gatewayResponse = (
  status: number,
  code: string,
  message: string,
  headers = {},
): Response => ({
  status,
  headers: { ...expectedHeaders, ...headers },
  body: { code, message, status },
})

export const MALFORMED = gatewayResponse(400, 'bad_request', 'The request is malformed.')

/** The response when a function fails. */
export const badGateway = gatewayResponse(
  502,
  'bad_gateway',
  'Something went wrong on our side. Try again in a moment. If it happens again, report it with ' +
    'the X-Request-Id.',
  { 'retry-after': '1' },
)

/** Opens a connection until the test ends, and sends a text over it unchanged. */
export const wireTo = async ({ baseUrl }: { baseUrl: string }, sent: string) => {
  const { hostname: host, port } = new URL(baseUrl)
  const socket = connect({ host, port: Number(port) }).setEncoding('latin1')
  onTestFinished(() => void socket.destroy())
  let received = ''
  socket.on('data', (text) => {
    received += text
  })
  socket.on('error', () => {})
  const closed = new Promise((resolve) => socket.once('close', resolve))
  await once(socket, 'connect')
  socket.write(sent, 'latin1')

  /** What has arrived when the server has ended the connection. */
  const rest = async (): Promise<string> => {
    await closed
    return received
  }
  /** The only response on the connection, when the server has ended it. */
  const response = async (): Promise<Response> => {
    const [head = '', ...others] = (await rest()).split('\r\n\r\n')
    const lines = [...head.matchAll(/^(\S+): (.*)$/gm)]
    const headers = Object.fromEntries(lines.map(([, name, value]) => [name?.toLowerCase(), value]))
    const status = Number(head.split(' ')[1])
    return { status, headers: withoutConnection(headers), body: JSON.parse(others.join()) }
  }
  return { socket, response, rest }
}
