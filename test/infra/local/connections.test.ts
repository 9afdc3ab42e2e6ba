import { once } from 'node:events'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { Handler } from '../../../infra/local/lambda.ts'
import { ask, badRequest, gatewayResponse, serve, waiting, wireAndSocket, wireTo } from './local-server.ts'

const GET = 'GET /v1/pets HTTP/1.1\r\nHost: a\r\n\r\n'
const CONNECT = 'CONNECT a:443 HTTP/1.1\r\nHost: a\r\n\r\n'
const POST = 'POST /v1/pets HTTP/1.1\r\nHost: a\r\n'

const HALF_OPEN = { allowHalfOpen: true }
const NEVER = 2 ** 31 - 1

// So short that no test waits for it.
const patience = { requestMs: 100, silenceMs: 100, checkMs: 10 }
const requestTimeout = gatewayResponse(408, 'request_timeout', 'The request did not arrive in time. Retry it.')
const large = async () => ({ statusCode: 200, body: JSON.stringify('a'.repeat(50_000_000)) })

test.each([
  ['nothing', '', ''],
  ['part of the headers', 'GET /v1/pets HT', ''],
  ['part of a body', `${POST}Content-Length: 20\r\n\r\n{`, ''],
  ['headers slowly and without end', 'GET /v1/pets HTTP/1.1\r\nHost: a\r\nX-Cat: ', 'a'],
  ['chunks slowly and without end', `${POST}Transfer-Encoding: chunked\r\n\r\n`, '1\r\na\r\n'],
])('returns 408 to a client that sends %s, and ends the connection', async (_name, start, next) => {
  const wire = await wireTo(await serve({}, { patience }), start)

  const drip = setInterval(() => wire.socket.write(next), 10)
  const response = await wire.response().finally(() => clearInterval(drip))

  expect([response, await wire.rest()]).toEqual([requestTimeout, ''])
})

test('ends the connection of a client that does not read its response', async () => {
  const { wire, socket } = await wireAndSocket(await serve({ listPets: large }, { patience }), GET)

  wire.socket.pause()

  expect(await once(socket, 'close')).toEqual([false])
})

test.each([
  ['a request', GET, []],
  ['two requests', GET + GET.replace('pets', 'pets/7'), [['second']]],
  ['a request and part of another', `${GET}GET /v1`, []],
])('responds to a client that closes its side after %s, then ends the connection', async (_name, text, next) => {
  const { handler, called, release } = waiting()
  const second = async () => ({ statusCode: 200, body: '["second"]' })
  const served = await serve({ listPets: handler, getPet: second })
  const { wire, socket } = await wireAndSocket(served, '', HALF_OPEN)
  const ended = once(socket, 'end')

  wire.socket.end(text)
  await Promise.all([called, ended])
  release({ statusCode: 200, body: '["first"]' })
  const bodies = []
  for (const _ of [['first'], ...next]) bodies.push((await wire.response()).body)

  expect([bodies, await wire.rest()]).toEqual([[['first'], ...next], ''])
})

test('returns 400 to a client that closes its side in the middle of a body', async () => {
  const wire = await wireTo(await serve(), '', HALF_OPEN)

  wire.socket.end(`${POST}Content-Length: 20\r\n\r\n{}`)

  expect([await wire.response(), await wire.rest()]).toEqual([badRequest, ''])
})

test.each([
  ['nothing', ''],
  ['a request', GET],
  ['part of a request', 'GET /v1'],
])('closes the connection of a client that closes its side after %s', async (_name, text) => {
  const { wire, socket } = await wireAndSocket(await serve())

  wire.socket.end(text)

  await expect.poll(() => socket.destroyed, { timeout: 30_000 }).toBe(true)
})

test.each([
  ['in the middle of the headers', 'GET /v1/pets HT'],
  ['in the middle of a chunk', `${POST}Transfer-Encoding: chunked\r\n\r\nff\r\n{`],
  ['before the response', GET],
  ['after invalid HTTP', 'Hello\r\n\r\n'],
  ['after CONNECT', CONNECT],
])('keeps serving when clients disconnect %s', async (_name, text) => {
  const served = await serve()

  for (let i = 0; i < 10; i++) {
    const { wire, socket } = await wireAndSocket(served)
    const closed = new Promise((resolve) => socket.on('close', resolve))
    wire.socket.write(text, () => wire.socket.resetAndDestroy())
    await closed
  }

  expect(await ask(served, { path: '/v1/pets/7' })).toMatchObject({ status: 200, body: [] })
  expect(console.error).not.toHaveBeenCalled()
  await served.stop(NEVER)
})

test('keeps serving when a client disconnects in the middle of a response', async () => {
  const served = await serve({ listPets: large })
  const wire = await wireTo(served, GET)

  await wire.take(/^HTTP\/1\.1 200 OK/)
  wire.socket.resetAndDestroy()

  expect(await ask(served, { path: '/v1/pets/7' })).toMatchObject({ status: 200, body: [] })
})

test('serves the requests of a connection one after the other, and another connection meanwhile', async () => {
  const { handler, called, release } = waiting()
  const served = await serve({ listPets: handler })
  const wire = await wireTo(served, GET.repeat(50))
  await called

  const other = await ask(served, { path: '/v1/pets/7' })
  release({ statusCode: 200, body: '["released"]' })
  const bodies = []
  while (bodies.length < 50) bodies.push((await wire.response()).body)

  expect(other).toMatchObject({ status: 200, body: [] })
  expect(bodies).toEqual(Array(50).fill(['released']))
})

test('calls no function for requests of a client that has disconnected, and closes a connection with too many', async () => {
  const { handler, called, release } = waiting()
  let calls = 0
  const counted: Handler = (...event) => {
    calls++
    return handler(...event)
  }
  const served = await serve({ listPets: counted })
  const { wire, socket } = await wireAndSocket(served, GET)
  await called

  wire.socket.on('error', () => {}).write(GET.repeat(5000))
  await once(socket, 'close')
  release({ statusCode: 200, body: '[]' })
  await served.stop(NEVER)

  expect(calls).toBe(1)
})

/** A local server with a request in flight. */
const serveRequest = async () => {
  const { handler, called, release } = waiting()
  const served = await serve({ listPets: handler })
  const wire = await wireTo(served, GET)
  await called
  return { served, wire, release }
}

test('completes the requests in flight, and refuses new connections', async () => {
  const { served, wire, release } = await serveRequest()

  const stopped = served.stop(NEVER)
  const refused = await wireTo(served).catch((error) => error.code)
  release({ statusCode: 200, body: '["in flight"]' })
  const head = await wire.take(/\r\n\r\n/)

  expect(refused).toBe('ECONNREFUSED')
  expect([head, await wire.rest()]).toEqual([expect.stringMatching(/\r\nConnection: close\r\n/), '["in flight"]'])
  await stopped
})

test('waits for the request of a client that has disconnected', async () => {
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

test('does not wait for a request longer than its limit', async () => {
  const { served, wire } = await serveRequest()

  await served.stop(1)

  expect(await wire.rest()).toBe('')
})

test.each([
  ['a client that has sent nothing', '', {}],
  ['an idle client', GET, {}],
  ['a client that keeps its side open after CONNECT', CONNECT, HALF_OPEN],
  ['a client that keeps its side open after invalid HTTP', 'Hello\r\n\r\n', HALF_OPEN],
])('ends the connection of %s', async (_name, text, options) => {
  const served = await serve()
  const { wire } = await wireAndSocket(served, text, options)
  if (text) await wire.response()

  await served.stop(NEVER)

  expect(await wire.rest()).toBe('')
})
