import { once } from 'node:events'
import { expect, test } from 'vitest'
import type { Handler } from '../../../../infra/local/gateway/lambda.ts'
import { type Limits, localLimits } from '../../../../infra/local/gateway/limits.ts'
import { example } from '../../../support/example.ts'
import { ask, CONNECT, GET, gatewayResponse, POST, serve, waiting, wireAndSocket, wireTo } from '../local-server.ts'

const { list, create } = example
const [HALF_HEADERS, OTHER_HALF] = [GET.slice(0, 9), GET.slice(9)]
const withLength = (bytes: number) => `${POST}Content-Length: ${bytes}\r\n\r\n${' '.repeat(bytes)}`
const HALF_BODY = withLength(2).slice(0, -1)
const TIMEOUT = gatewayResponse(408, 'request_timeout', 'The request did not arrive in time. Send it again.')

/** For each limit, a client that exceeds it. */
const clients: Record<keyof Limits, () => Promise<void>> = {
  headersMs: async () => {
    const wire = await wireTo(await serve({}, { headersMs: 1 }), HALF_HEADERS)

    expect([await wire.response(), await wire.rest()]).toEqual([TIMEOUT, ''])
  },
  bodyMs: async () => {
    const wire = await wireTo(await serve({}, { bodyMs: 1 }), HALF_BODY)

    await wire.take(/^HTTP\/1\.1 408 [\s\S]+\r\nConnection: close\r\n[\s\S]+\r\n\r\n/)
    expect(JSON.parse(await wire.rest())).toEqual(TIMEOUT.body)
  },
  idleMs: async () => {
    const wire = await wireTo(await serve({}, { idleMs: 1 }), GET)

    expect(await wire.rest()).toMatch(/^HTTP\/1\.1 200 [\s\S]+\r\nKeep-Alive: timeout=0\r\n[\s\S]+\r\n\r\n\[\]$/)
  },
  readMs: async () => {
    const body = JSON.stringify(['a'.repeat(2 ** 25)]) // Larger than all buffers.
    const served = await serve({ [list]: async () => ({ statusCode: 200, body }) }, { readMs: 100, headersMs: 100 })

    for (const next of [HALF_HEADERS, CONNECT]) {
      const { wire, socket } = await wireAndSocket(served)
      wire.socket.pause().write(GET + next)
      const sending = setInterval(() => wire.socket.write('a'))
      await once(socket, 'close')
      clearInterval(sending)
    }
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
    let arrived = 0
    served.server.on('request', () => arrived++)
    const responses = [ask(served), ask(served), ask(served)]
    await expect.poll(() => arrived).toBe(3)

    const running = handler.mock.calls.length
    release({ statusCode: 199, body: '' }) // A bug: the next function runs after it, too.

    expect([running, ...(await Promise.all(responses)).map(({ status }) => status)]).toEqual([2, 502, 502, 502])
  },
  functionMs: async () => {
    const served = await serve({ [list]: () => new Promise(() => {}) }, { functionMs: 1 })

    const response = await ask(served)

    const message = 'The service did not respond in time. Try again in a moment.'
    expect(response).toEqual(gatewayResponse(504, 'gateway_timeout', message, { 'retry-after': '1' }))
  },
}

test.each(Object.keys(localLimits) as (keyof Limits)[])('a client cannot exceed %s', (limit) => clients[limit]())

test('gives a request its whole time after it has waited for others', async () => {
  const { handler, called, release } = waiting()
  const served = await serve({ [list]: handler }, { headersMs: 1000, bodyMs: 1000, readMs: 1, functions: 1 })
  const first = await wireTo(served, `${withLength(2)}${GET}${HALF_HEADERS}`)
  await called
  const second = await wireTo(served, `${GET}${HALF_BODY}`)
  const slow = await wireTo(served, HALF_HEADERS)

  await slow.rest()
  first.socket.write(OTHER_HALF + HALF_HEADERS)
  second.socket.write(' ')
  release({ statusCode: 200, body: '["waited"]' })

  const bodies = []
  for (const wire of [first, first, first, second, second, first]) bodies.push((await wire.response()).body)
  expect(bodies).toEqual([[], ['waited'], ['waited'], ['waited'], [], TIMEOUT.body])
})
