import { once } from 'node:events'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { example } from '../../../support/example.ts'
import {
  ask,
  BASE,
  GET,
  gatewayResponse,
  logged,
  NEVER,
  POST,
  serve,
  waiting,
  wireAndSocket,
  wireTo,
} from '../local-server.ts'

const { path, list } = example
const HALF_POST = `${POST}Content-Length: 20\r\n\r\n{`

test('responds to a client that closes its side after a request, then ends the connection', async () => {
  const { handler, called, release } = waiting()
  const { wire, socket } = await wireAndSocket(await serve({ [list]: handler }), '', {
    allowHalfOpen: true,
  })
  const ended = once(socket, 'end')

  wire.socket.end(GET)
  await Promise.all([called, ended])
  release({ statusCode: 200, body: '["first"]' })

  expect([(await wire.response()).body, await wire.rest()]).toEqual([['first'], ''])
})

test.each([
  ['in the middle of the headers', `GET ${BASE}${path} HT`],
  ['in the middle of a body', HALF_POST],
  ['before the response', GET],
  ['after invalid HTTP', 'Hello\r\n\r\n'],
])('keeps serving when clients disconnect %s', async (_name, text) => {
  const served = await serve()

  for (let i = 0; i < 10; i++) {
    const { wire, socket } = await wireAndSocket(served)
    const closed = new Promise((resolve) => socket.on('close', resolve))
    wire.socket.write(text, () => wire.socket.resetAndDestroy())
    await closed
  }

  expect(await ask(served, { method: 'POST' })).toMatchObject({ status: 200, body: [] })
  expect(console.error).not.toHaveBeenCalled()
  await served.stop(NEVER)
})

test('serves any number of requests of a connection in order, one after the other', async () => {
  let running = 0
  let most = 0
  const served = await serve({
    [list]: async ({ queryStringParameters }) => {
      most = Math.max(most, ++running)
      await nextTurn()
      running--
      return { statusCode: 200, body: JSON.stringify(queryStringParameters) }
    },
  })
  const sent = Array.from({ length: 3000 }, (_, i) => ({ nth: String(i) }))
  const text = sent.map(({ nth }) => GET.replace(path, `${path}?nth=${nth}`)).join('')
  const wire = await wireTo(
    served,
    `${text}${HALF_POST.replace('20', '200000')}${' '.repeat(199_999)}`,
  )

  const bodies = []
  while (bodies.length < sent.length + 1) bodies.push((await wire.response()).body)

  expect(bodies).toEqual([...sent, []])
  expect(logged()).toHaveLength(sent.length + 1)
  expect(most).toBe(1)
})

test('calls no function for requests of a client that has disconnected', async () => {
  const { handler, called, release } = waiting()
  const served = await serve({ [list]: handler })
  const { wire, socket } = await wireAndSocket(served, GET.repeat(50))
  await called

  wire.socket.resetAndDestroy()
  release({ statusCode: 200, body: '[]' })
  await expect.poll(() => socket.destroyed).toBe(true)
  await served.stop(NEVER)

  expect([handler.mock.calls.length, logged().length]).toEqual([1, 1])
})

test('ends a connection whose request does not arrive in time', async () => {
  const served = await serve({}, { headersTimeout: 1, connectionsCheckingInterval: 1 })
  const wire = await wireTo(served, GET.slice(0, 9))

  const message = 'The request did not arrive in time. Send it again.'
  expect([await wire.response(), await wire.rest()]).toEqual([
    gatewayResponse(408, 'request_timeout', message),
    '',
  ])
})

test('closes connections beyond its limit', async () => {
  const served = await serve({}, { maxConnections: 1 })
  const allowed = await wireTo(served)
  const refused = await wireTo(served, GET)

  expect(await refused.rest()).toBe('')
  allowed.socket.write(GET)
  expect((await allowed.response()).status).toBe(200)
})

test('refuses a body that is too large before it is complete, and reads the next request after it', async () => {
  const served = await serve({}, { bodyBytes: 10 })
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

test('runs only some functions at once', async () => {
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
})

/** A local server with a request in flight. */
const serveRequest = async () => {
  const { handler, called, release } = waiting()
  const served = await serve({ [list]: handler })
  const wire = await wireTo(served, GET)
  await called
  return { served, wire, release }
}

test('stop waits for the request of a client that has disconnected', async () => {
  const { served, wire, release } = await serveRequest()
  const seen: string[] = []

  wire.socket.resetAndDestroy()
  const stopped = served.stop(NEVER).then(() => seen.push('stopped'))
  await once(served.server, 'close')
  await nextTurn()
  seen.push('released')
  release({ statusCode: 200, body: '[]' })
  await stopped

  expect(seen).toEqual(['released', 'stopped'])
})

test('stop does not wait for a request longer than its limit', async () => {
  const { served, wire } = await serveRequest()

  await served.stop(1)

  expect(await wire.rest()).toBe('')
})

test('stop ends the connection of a client that has sent nothing', async () => {
  const served = await serve()
  const { wire } = await wireAndSocket(served)

  await served.stop(NEVER)

  expect(await wire.rest()).toBe('')
})
