import { expect, test, vi } from 'vitest'
import type { Handler } from '../../../../infra/local/gateway/lambda.ts'
import { example } from '../../../support/example.ts'
import {
  ask,
  GET,
  gatewayResponse,
  POST,
  serve,
  waiting,
  wireAndSocket,
  wireTo,
} from '../local-server.ts'

const { list, create } = example
/** A request that an attacker hides in or after another one. */
const SMUGGLED = GET

const echo: Handler = async ({ body }) => ({ statusCode: 200, body: JSON.stringify(body) })
const MALFORMED = gatewayResponse(400, 'bad_request', 'The request is malformed.')
const TOO_LARGE = gatewayResponse(
  431,
  'request_header_fields_too_large',
  'The URL and headers must be smaller than 10240 bytes.',
)
const CHUNKS = `${POST}Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n`

const malformed: [name: string, text: string, response?: object][] = [
  ['a header over 10 KB', `${POST}X-A: ${'a'.repeat(10_240)}\r\n\r\n`, TOO_LARGE],
  ['a trailer over 10 KB', `${CHUNKS}0\r\nX-A: ${'a'.repeat(10_240)}\r\n\r\n`],
  ['a chunk without a length', `${CHUNKS}{}\r\n0\r\n\r\n`],
  [
    'a length after chunks',
    `${POST}Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n`,
    MALFORMED,
  ],
  ['two lengths', `${POST}Content-Length: 2\r\nContent-Length: 40\r\n\r\n{}`, MALFORMED],
  ['bytes that are not HTTP', 'Hello\r\n\r\n', MALFORMED],
  ['HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', MALFORMED],
]

test.each(malformed)(
  'ends the connection after %s, with an error unless a body had begun',
  async (_name, text, error) => {
    const smuggled = vi.fn<Handler>()
    const served = await serve({ [list]: smuggled })
    const wire = await wireTo(served, text + SMUGGLED)

    if (error) expect(await wire.response()).toEqual(error)

    expect(await wire.rest()).toBe('')
    expect(smuggled).not.toHaveBeenCalled()
    expect((await ask(served, { method: 'POST' })).status).toBe(200)
  },
)

test.each(malformed)(
  'responds to the request before %s, and ends the connection',
  async (_name, text) => {
    const smuggled = vi.fn<Handler>()
    const { handler, called, release } = waiting()
    const served = await serve({ [create]: handler, [list]: smuggled })
    const wire = await wireTo(served, `${POST}\r\n${text}${SMUGGLED}`)
    await called

    wire.socket.write(SMUGGLED)
    release({ statusCode: 200, body: '["first"]' })

    expect([(await wire.response()).body, await wire.rest()]).toEqual([['first'], ''])
    expect(smuggled).not.toHaveBeenCalled()
    expect((await ask(served, { method: 'POST' })).status).toBe(200)
  },
)

test.each([
  ['an unknown expectation', `${POST}Expect: something\r\nContent-Length: 2\r\n\r\n{}`],
  ['headers of 10 KB', `${POST}X-A: ${'a'.repeat(10_000)}\r\nContent-Length: 2\r\n\r\n{}`],
])('reads a request with %s, and responds to the next one separately', async (_name, text) => {
  const wire = await wireTo(await serve({ [create]: echo, [list]: echo }), text + SMUGGLED)

  expect([(await wire.response()).body, (await wire.response()).body]).toEqual(['{}', null])
})

test('ends the connection after a request to upgrade the protocol', async () => {
  const upgrade = `${POST}Connection: Upgrade\r\nUpgrade: h2c\r\n\r\n`
  const wire = await wireTo(await serve(), upgrade + SMUGGLED)

  const head = await wire.take(/\r\n\r\n/)

  expect([head, await wire.rest()]).toEqual([
    expect.stringMatching(/ 200 [\s\S]+\r\nConnection: close\r\n/),
    '[]',
  ])
})

test('reads a body of 10 MB to its end after a 413, because the client may read nothing before', async () => {
  const bytes = 10 * 1024 * 1024
  const { wire, socket } = await wireAndSocket(await serve({}, { keepAliveTimeout: 600_000 }))
  wire.socket.write(
    `${POST}Connection: close\r\nContent-Length: ${bytes}\r\n\r\n${'a'.repeat(bytes)}`,
  )

  expect((await wire.response()).status).toBe(413)
  await expect.poll(() => socket.bytesRead).toBeGreaterThan(bytes)
})

test('sends one response to a body that is too large, and then broken', async () => {
  const wire = await wireTo(await serve({}, { bodyBytes: 1 }), CHUNKS)

  const { status } = await wire.response()
  wire.socket.write('{}\r\n')

  expect([status, await wire.rest()]).toEqual([413, ''])
})

test('ends the connection only when the client has read the responses to complete requests', async () => {
  const long = 'a'.repeat(2 ** 25) // Larger than all buffers.
  const served = await serve({
    [list]: async () => ({ statusCode: 200, body: JSON.stringify(long) }),
  })
  const { wire, socket } = await wireAndSocket(served)

  wire.socket.pause().write(`${GET}Hello\r\n\r\n`)
  await expect.poll(() => socket.writableLength).toBeGreaterThan(0)
  wire.socket.resume()

  const whole = await wire.rest()
  expect(whole.length - whole.indexOf('"')).toBe(long.length + 2)
})
