import { once } from 'node:events'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test, vi } from 'vitest'
import {
  createGateway,
  type GatewayResponse,
  type ProxyEvent,
} from '../../../../infra/packages/local-gateway/index.ts'
import {
  ask,
  GET,
  gatewayResponse,
  logged,
  NEVER,
  optionsFor,
  POST,
  serveFunctions,
  waiting,
  wireAndSocket,
  wireTo,
} from './gateway.ts'

type Invoke = (event: ProxyEvent) => Promise<GatewayResponse>

/** Keeps idle connections open, longer than any test. */
const IDLE = { keepAliveTimeout: 600_000 }

/** A request that an attacker hides in or after another one. */
const SMUGGLED = GET

const MALFORMED = gatewayResponse(400, 'bad_request', 'The request is malformed.')
const UNKNOWN_METHOD = gatewayResponse(
  400,
  'bad_request',
  'The request has an unknown method. Methods are written in upper case, such as PATCH.',
)
const HEADERS_TOO_LARGE = gatewayResponse(
  431,
  'request_header_fields_too_large',
  'The URL and headers must be smaller than 10240 bytes.',
)

test.each<[name: string, text: string, response?: object]>([
  ['a header over 10 KB', `${POST}X-A: ${'a'.repeat(10_240)}\r\n\r\n`, HEADERS_TOO_LARGE],
  ['bytes that are not HTTP', 'Hello\r\n\r\n', UNKNOWN_METHOD],
  ['a method in lower case', POST.toLowerCase(), UNKNOWN_METHOD],
  ['a header without a name', `${POST}: a\r\n\r\n`, MALFORMED],
  ['a complete request and bytes that are not HTTP', `${POST}\r\nHello\r\n\r\n`],
])(
  'closes the connection after %s, with an error if no request is in flight',
  async (_name, text, error) => {
    const smuggled = vi.fn<Invoke>()
    const served = await serveFunctions({ listPets: smuggled })
    const wire = await wireTo(served, text + SMUGGLED)

    if (error) expect(await wire.response()).toEqual(error)

    expect(await wire.rest()).toBe('')
    expect(smuggled).not.toHaveBeenCalled()
    expect((await ask(served, { method: 'POST' })).status).toBe(200)
  },
)

test('reads a request with an unknown expectation, and responds to the next one separately', async () => {
  const echo: Invoke = async ({ body }) => ({ statusCode: 200, body: JSON.stringify(body) })
  const text = `${POST}Expect: something\r\nContent-Length: 2\r\n\r\n{}`
  const wire = await wireTo(
    await serveFunctions({ createPet: echo, listPets: echo }),
    text + SMUGGLED,
  )

  expect([(await wire.response()).body, (await wire.response()).body]).toEqual(['{}', null])
})

test('closes the connection after a request to upgrade the protocol', async () => {
  const upgrade = `${POST}Connection: Upgrade\r\nUpgrade: h2c\r\n\r\n`
  const wire = await wireTo(await serveFunctions({}, IDLE), upgrade + SMUGGLED)

  expect([(await wire.response()).status, await wire.rest()]).toEqual([200, ''])
})

test.each([
  ['in the middle of a body', `${POST}Content-Length: 20\r\n\r\n{`],
  ['before the responses', GET.repeat(50)],
  ['after invalid HTTP', 'Hello\r\n\r\n'],
])('keeps serving when clients disconnect %s', async (_name, text) => {
  const served = await serveFunctions()

  for (let i = 0; i < 10; i++) {
    const { wire, socket } = await wireAndSocket(served)
    const closed = once(socket, 'close').catch(() => {}) // Reset by the client.
    wire.socket.write(text, () => wire.socket.resetAndDestroy())
    await closed
  }

  expect(await ask(served, { method: 'POST' })).toMatchObject({ status: 200, body: [] })
  expect(console.error).not.toHaveBeenCalled()
  await served.stop(NEVER)
})

test('closes a connection whose request does not arrive in time', async () => {
  const served = await serveFunctions({}, { headersTimeout: 1, connectionsCheckingInterval: 1 })
  const wire = await wireTo(served, GET.slice(0, 9))

  const message = 'The request did not arrive in time. Send it again.'
  expect([await wire.response(), await wire.rest()]).toEqual([
    gatewayResponse(408, 'request_timeout', message),
    '',
  ])
})

test('closes connections beyond its limit', async () => {
  const served = await serveFunctions({}, { maxConnections: 1 })
  const allowed = await wireTo(served)
  const refused = await wireTo(served, GET)

  expect(await refused.rest()).toBe('')
  allowed.socket.write(GET)
  expect((await allowed.response()).status).toBe(200)
})

test('responds to 100 requests in flight on a connection, and then to more', async () => {
  const wire = await wireTo(await serveFunctions(), GET.repeat(100))

  for (let i = 0; i < 100; i++) expect((await wire.response()).status).toBe(200)
  wire.socket.write(GET)
  expect((await wire.response()).status).toBe(200)
})

test('calls one function at a time for a client that reads nothing', async () => {
  const long = JSON.stringify('a'.repeat(2 ** 25)) // Larger than all buffers.
  const listPets = vi.fn<Invoke>(async () => ({ statusCode: 200, body: long }))
  const served = await serveFunctions({ listPets })
  const { wire, socket } = await wireAndSocket(served)

  wire.socket.pause().write(GET.repeat(3))
  await expect.poll(() => socket.writableLength).toBeGreaterThan(0)
  await ask(served, { method: 'POST' })

  expect(listPets).toHaveBeenCalledTimes(1)
})

test('closes a connection with more requests in flight, and serves others', async () => {
  const served = await serveFunctions({ listPets: () => new Promise(() => {}) })

  const wire = await wireTo(served, GET.repeat(101))

  expect(await wire.rest()).toBe('')
  expect((await ask(served, { method: 'POST' })).status).toBe(200)
})

test('refuses a body that is too large before it is complete, and reads the next request after it', async () => {
  const served = await serveFunctions({}, { bodyBytes: 10 })
  const withLength = (bytes: number) =>
    `${POST}Content-Length: ${bytes}\r\n\r\n${' '.repeat(bytes)}`
  const [large, last] = [withLength(1000), 989]
  const wire = await wireTo(served, withLength(10) + large.slice(0, -last))

  const responses = [await wire.response(), await wire.response()]
  wire.socket.write(large.slice(-last) + GET)
  responses.push(await wire.response())

  expect(responses.map(({ status }) => status)).toEqual([200, 413, 200])
  const message = 'The body must not be larger than 256 KiB.'
  expect(responses[1]).toEqual(gatewayResponse(413, 'payload_too_large', message))
})

test('reads a body of 10 MB to its end after a 413, because the client may read nothing before', async () => {
  const bytes = 10 * 1024 * 1024
  const { wire, socket } = await wireAndSocket(await serveFunctions({}, IDLE))
  wire.socket.write(
    `${POST}Connection: close\r\nContent-Length: ${bytes}\r\n\r\n${'a'.repeat(bytes)}`,
  )

  expect((await wire.response()).status).toBe(413)
  await expect.poll(() => socket.bytesRead).toBeGreaterThan(bytes)
})

setFlagsFromString('--expose-gc')
const collectGarbage: () => void = runInNewContext('gc')

/** The memory of buffers in this process after a garbage collection, in MB. */
const memory = (): number => {
  collectGarbage()
  return process.memoryUsage().arrayBuffers / 1e6
}

test('keeps nothing of bodies that are too large, nor of connections that have ended', async () => {
  const served = await serveFunctions({}, IDLE)
  const sockets: WeakRef<object>[] = []
  served.server.on('connection', (socket) => sockets.push(new WeakRef(socket)))
  const before = memory()
  const tooLarge = `${POST}Content-Length: 2000000\r\n\r\n${' '.repeat(1_500_000)}`

  const clients = await Promise.all(Array.from({ length: 50 }, () => wireTo(served, tooLarge)))
  for (const client of clients) expect((await client.response()).status).toBe(413)
  // They had 1 MB each.
  await expect.poll(() => memory()).toBeLessThan(before + 25)
  for (const { socket } of clients) socket.resetAndDestroy()

  const kept = () => {
    collectGarbage()
    return sockets.filter((socket) => socket.deref()).length
  }
  await expect.poll(kept).toBeLessThan(5)
  await served.stop(NEVER)
})

/** A local server with a request in flight. */
const serveRequest = async () => {
  const { handler, called, release } = waiting()
  const served = await serveFunctions({ listPets: handler })
  const wire = await wireTo(served, GET)
  await called
  return { served, wire, release }
}

test('stop waits until the client has read the response', async () => {
  const { served, wire, release } = await serveRequest()
  const long = JSON.stringify('a'.repeat(2 ** 25)) // Larger than all buffers.
  wire.socket.pause()

  const stopped = served.stop(NEVER)
  release({ statusCode: 200, body: long })
  await expect.poll(logged).toHaveLength(1)
  wire.socket.resume()

  const whole = await wire.rest()
  expect(whole.length - whole.indexOf('"')).toBe(long.length)
  await stopped
})

test('stop does not wait for a request longer than its limit', async () => {
  const { served, wire } = await serveRequest()

  await served.stop(1)

  expect(await wire.rest()).toBe('')
})

test('stop closes the connection of a client that has sent nothing', async () => {
  const served = await serveFunctions()
  const { wire } = await wireAndSocket(served)

  await served.stop(NEVER)

  expect(await wire.rest()).toBe('')
})

test('stop cuts off a request whose body has not arrived', async () => {
  const createPet = vi.fn<Invoke>()
  const served = await serveFunctions({ createPet })
  const arrived = once(served.server, 'request')
  const wire = await wireTo(served, `${POST}Content-Length: 20\r\n\r\n{`)
  await arrived

  await served.stop(NEVER)

  expect(await wire.rest()).toBe('')
  expect(createPet).not.toHaveBeenCalled()
})

test('stop has nothing to do before the server listens', async () => {
  const { stop } = createGateway(optionsFor([]))

  await stop(NEVER)
})
