import { expect, test } from 'vitest'
import type { Handler } from '../../../infra/local/lambda.ts'
import { type Limits, localLimits } from '../../../infra/local/limits.ts'
import { example } from '../../support/example.ts'
import { ask, GET, gatewayResponse, POST, serve, waiting, wireTo } from './local-server.ts'

const { list, create } = example
const withLength = (bytes: number) => `${POST}Content-Length: ${bytes}\r\n\r\n${' '.repeat(bytes)}`

/** For each limit, a client that exceeds it. */
const clients: Record<keyof Limits, () => Promise<void>> = {
  idleMs: async () => {
    const wire = await wireTo(await serve({}, { idleMs: 1 }), GET)

    expect(await wire.rest()).toMatch(/^HTTP\/1\.1 200 [\s\S]+\r\nKeep-Alive: timeout=0\r\n[\s\S]+\r\n\r\n\[\]$/)
  },
  headerBytes: async () => {
    const served = await serve({}, { headerBytes: 100 })

    const response = await ask(served, { headers: { 'X-A': 'a'.repeat(100) } })

    const message = 'The URL and headers must be smaller than 100 bytes.'
    expect(response).toEqual(gatewayResponse(431, 'request_header_fields_too_large', message))
  },
  bodyBytes: async () => {
    const sizeOf: Handler = async ({ body }) => ({ statusCode: 200, body: JSON.stringify(body?.length) })
    const served = await serve({ [create]: sizeOf }, { bodyBytes: 10 })
    const wire = await wireTo(served, [10, 11, 2].map(withLength).join(''))

    const responses = [await wire.response(), await wire.response(), await wire.response()]

    const message = 'The body must not be larger than 256 KiB.'
    const sizes = [10, 2].map((body) => ({ status: 200, headers: {}, body }))
    expect(responses).toEqual([sizes[0], gatewayResponse(413, 'payload_too_large', message), sizes[1]])
  },
  functions: async () => {
    const { handler, release } = waiting()
    const served = await serve({ [list]: handler }, { functions: 2 })
    let [arrived, called] = [0, 0]
    served.server.on('request', () => {
      if (++arrived < 3) return
      setImmediate(() => {
        called = handler.mock.calls.length
        release({ statusCode: 199, body: '' }) // A bug: the next function runs after it, too.
      })
    })

    const responses = await Promise.all([ask(served), ask(served), ask(served)])

    expect([called, ...responses.map(({ status }) => status)]).toEqual([2, 502, 502, 502])
  },
  functionMs: async () => {
    const served = await serve({ [list]: () => new Promise(() => {}) }, { functionMs: 1 })

    const response = await ask(served)

    const message = 'The service did not respond in time. Try again in a moment.'
    expect(response).toEqual(gatewayResponse(504, 'gateway_timeout', message, { 'retry-after': '1' }))
  },
}

test.each(Object.keys(localLimits) as (keyof Limits)[])('a client cannot exceed %s', (limit) => clients[limit]())
