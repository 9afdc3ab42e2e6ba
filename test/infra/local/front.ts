import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, vi } from 'vitest'
import type { Handler } from '../../../infra/local/lambda.ts'
import { createLocalServer, type Patience, stopServer } from '../../../infra/local/server.ts'
import { type OperationId, operationIds } from '../../../shared/contract.ts'
import { type Sent, send } from '../../support/http.ts'

/** A front that serves functions of a test's own. */
export type Front = { server: Server; port: number; baseUrl: string }

const ok: Handler = async () => ({ statusCode: 200, headers: { 'Content-Type': 'application/json' }, body: '[]' })

const everyOk = Object.fromEntries(operationIds.map((id) => [id, ok])) as Record<OperationId, Handler>

/** Serves functions behind the front on a free port until the test ends. Those that are not given answer `[]`. */
export const serve = async (
  handlers: Partial<Record<OperationId, Handler>> = {},
  { timeoutMs = 60_000, patience }: { timeoutMs?: number; patience?: Patience } = {},
): Promise<Front> => {
  for (const level of ['info', 'error'] as const) vi.spyOn(console, level).mockImplementation(() => {})
  const server = createLocalServer({ handlers: { ...everyOk, ...handlers }, timeoutMs }, patience)
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => {
    vi.restoreAllMocks()
    return stopServer(server, 0)
  })
  const { port } = server.address() as AddressInfo
  return { server, port, baseUrl: `http://127.0.0.1:${port}` }
}

/** An answer without what HTTP itself adds to it. */
export type Answer = { status: number; headers: Record<string, string>; body: unknown }

/** Sends a request; `path` starts at the host. */
export const ask = async ({ baseUrl }: { baseUrl: string }, sent: Sent): Promise<Answer> => {
  const { status, headers, body } = await send(new URL(baseUrl).origin, sent)
  return { status, headers: withoutTransport(headers), body }
}

/** The headers that are about more than one connection. */
export const withoutTransport = (headers: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !TRANSPORT.has(name)))

const TRANSPORT = new Set(['connection', 'content-length', 'date', 'keep-alive', 'transfer-encoding'])

/** The headers of every answer. */
export const commonHeaders: Record<string, string> = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers':
    'Link, Location, X-Request-Id, Retry-After, Deprecation, Sunset, Idempotent-Replayed, WWW-Authenticate, x-amzn-Remapped-WWW-Authenticate',
  'cache-control': 'no-store',
  'content-type': 'application/json',
  'x-request-id': expect.stringMatching(/^[\w-]{15}=$/),
}

/** The whole of an answer that API Gateway makes by itself. */
export const gatewayAnswer = (status: number, code: string, message: string, headers = {}): Answer => ({
  status,
  headers: { ...commonHeaders, ...headers },
  body: { code, message, status },
})
