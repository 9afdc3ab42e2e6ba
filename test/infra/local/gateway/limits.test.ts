import { expect, test } from 'vitest'
import type { Handler } from '../../../../infra/local/gateway/lambda.ts'
import type { Limits } from '../../../../infra/local/gateway/limits.ts'
import { example } from '../../../support/example.ts'
import { ask, GET, gatewayResponse, POST, serve, waiting, wireTo } from '../local-server.ts'

const { list, create } = example
const [HALF_HEADERS, OTHER_HALF] = [GET.slice(0, 9), GET.slice(9)]
const withLength = (bytes: number) => `${POST}Content-Length: ${bytes}\r\n\r\n${' '.repeat(bytes)}`
const HALF_BODY = withLength(2).slice(0, -1)
const TIMEOUT = gatewayResponse(
  408,
  'request_timeout',
  'The request did not arrive in time. Send it again.',
)

/** Node.js compares times with its limits in this interval. */
type Exceeded = Exclude<keyof Limits, 'connectionsCheckingInterval'>

/** For each limit, a client that exceeds it. */
const clients: Record<Exceeded, () => Promise<void>> = {
  headersTimeout: async () => {
    const limits = { headersTimeout: 1, connectionsCheckingInterval: 1 }
    const wire = await wireTo(await serve({}, limits), HALF_HEADERS)

    expect([await wire.response(), await wire.rest()]).toEqual([TIMEOUT, ''])
  },
  requestTimeout: async () => {
    const limits = { headersTimeout: 500, requestTimeout: 500, connectionsCheckingInterval: 1 }
    const wire = await wireTo(await serve({}, limits), HALF_BODY)

    // On a busy machine, the headers may be late, too.
    expect(await wire.rest()).toMatch(/^(HTTP\/1\.1 408 |$)/)
  },
  keepAliveTimeout: async () => {
    const wire = await wireTo(await serve({}, { keepAliveTimeout: 1 }), GET)

    expect(await wire.rest()).toMatch(
      /^HTTP\/1\.1 200 [\s\S]+\r\nKeep-Alive: timeout=0\r\n[\s\S]+\r\n\r\n\[\]$/,
    )
  },
  maxHeaderSize: async () => {
    const served = await serve({}, { maxHeaderSize: 100 })

    const response = await ask(served, { headers: { 'X-A': 'a'.repeat(100) } })

    const message = 'The URL and headers must be smaller than 100 bytes.'
    expect(response).toEqual(gatewayResponse(431, 'request_header_fields_too_large', message))
  },
  maxConnections: async () => {
    const served = await serve({}, { maxConnections: 2 })
    const allowed = [await wireTo(served, HALF_HEADERS), await wireTo(served, HALF_HEADERS)]
    const refused = await wireTo(served, GET)

    const rest = await refused.rest()
    for (const wire of allowed) wire.socket.write(OTHER_HALF)

    const responses = await Promise.all(allowed.map((wire) => wire.response()))
    expect([rest, ...responses.map(({ status }) => status)]).toEqual(['', 200, 200])
  },
  bodyBytes: async () => {
    const sizeOf: Handler = async ({ body }) => ({
      statusCode: 200,
      body: JSON.stringify(body?.length),
    })
    const served = await serve({ [create]: sizeOf }, { bodyBytes: 10 })
    const wire = await wireTo(served, withLength(10) + withLength(1000).slice(0, -989))

    const responses = [await wire.response(), await wire.response()]
    wire.socket.write(' '.repeat(989) + withLength(2))
    responses.push(await wire.response())

    const message = 'The body must not be larger than 256 KiB.'
    const sizes = [10, 2].map((body) => ({ status: 200, headers: {}, body }))
    expect(responses).toEqual([
      sizes[0],
      gatewayResponse(413, 'payload_too_large', message),
      sizes[1],
    ])
  },
  functions: async () => {
    const { handler, release } = waiting()
    const served = await serve({ [list]: handler }, { functions: 2 })
    let arrived = 0
    served.server.on('request', () => arrived++)
    const responses = [ask(served), ask(served), ask(served)]
    await expect.poll(() => arrived).toBe(3)

    const running = handler.mock.calls.length
    release({ statusCode: 199, body: '' }) // A bug: the next function runs after it, too.

    const statuses = (await Promise.all(responses)).map(({ status }) => status)
    expect([running, ...statuses]).toEqual([2, 502, 502, 502])
  },
  functionMs: async () => {
    const served = await serve({ [list]: () => new Promise(() => {}) }, { functionMs: 1 })

    const response = await ask(served)

    const message = 'The service did not respond in time. Try again in a moment.'
    expect(response).toEqual(
      gatewayResponse(504, 'gateway_timeout', message, { 'retry-after': '1' }),
    )
  },
}

test.each(Object.keys(clients) as Exceeded[])('a client cannot exceed %s', (limit) =>
  clients[limit](),
)
