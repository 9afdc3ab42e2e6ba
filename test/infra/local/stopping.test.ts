import { once } from 'node:events'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { start } from './command.ts'
import { serve, waiting, wireTo } from './local-server.ts'

const NEVER = 2 ** 31 - 1
const GET = 'GET /v1/pets HTTP/1.1\r\nHost: a\r\n\r\n'

/** A local server with a request in flight. */
const serveOne = async () => {
  const { handler, called, release } = waiting()
  const served = await serve({ listPets: handler })
  const wire = await wireTo(served.port)
  wire.socket.write(GET)
  await called
  return { ...served, wire, release }
}

test('completes the requests in flight, and refuses new connections', async () => {
  const { stop, port, wire, release } = await serveOne()

  const stopped = stop(NEVER)
  const refused = await wireTo(port).catch((error) => error.code)
  release({ statusCode: 200, body: '["in flight"]' })
  const head = await wire.take(/\r\n\r\n/)

  expect([refused, head, await wire.rest()]).toEqual([
    'ECONNREFUSED',
    expect.stringMatching(/\r\nConnection: close\r\n/),
    '["in flight"]',
  ])
  await stopped
})

test('waits for the request of a client that has disconnected', async () => {
  const { server, stop, wire, release } = await serveOne()
  const seen: string[] = []

  wire.socket.resetAndDestroy()
  const stopped = stop(NEVER).then(() => seen.push('stopped'))
  await once(server, 'close')
  await nextTurn()
  seen.push('released')
  release({ statusCode: 200, body: '[]' })
  await stopped

  expect(seen).toEqual(['released', 'stopped'])
})

test('does not wait longer than its limit', async () => {
  const { stop, wire } = await serveOne()

  await stop(1)

  expect(await wire.rest()).toBe('')
})

test('ends connections that carried no request yet', async () => {
  const { server, stop, port } = await serve()
  const [wire] = await Promise.all([wireTo(port), once(server, 'connection')])

  await stop(NEVER)

  expect(await wire.rest()).toBe('')
})

test.each([
  ['an idle client', GET, {}],
  [
    'a client that keeps its side open after CONNECT',
    'CONNECT a:443 HTTP/1.1\r\nHost: a\r\n\r\n',
    { allowHalfOpen: true },
  ],
  ['a client that keeps its side open after invalid HTTP', 'Hello\r\n\r\n', { allowHalfOpen: true }],
])('ends the connection of %s', async (_name, text, options) => {
  const { stop, port } = await serve()
  const wire = await wireTo(port, options)
  wire.socket.write(text)
  await wire.response()

  await stop(NEVER)

  expect(await wire.rest()).toBe('')
})

const BODY = '{"name":"Mia","categoryId":1}'

const headOf = (apiKey: string, expectation = '') =>
  `POST /v1/pets HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${apiKey}\r\n${expectation}` +
  `Content-Type: application/json\r\nContent-Length: ${BODY.length}\r\n\r\n`

const refusesConnections = async (port: number): Promise<boolean> => {
  const wire = await wireTo(port).catch(() => undefined)
  wire?.socket.destroy()
  return wire === undefined
}

test.each([
  ['SIGINT', 'SIGINT'],
  ['SIGTERM', 'SIGTERM'],
  ['SIGINT', 'SIGTERM'],
] as const)('on %s, then %s, npm start completes the request in flight and exits with 0', async (first, second) => {
  const server = await start()
  const port = Number(new URL(server.baseUrl).port)
  const exited = once(server.process, 'exit')
  const idle = await wireTo(port)
  idle.socket.write(headOf(server.apiKey) + BODY)
  await idle.response()
  const busy = await wireTo(port)
  busy.socket.write(headOf(server.apiKey, 'Expect: 100-continue\r\n'))
  await busy.take(/^HTTP\/1\.1 100 Continue\r\n\r\n/)

  server.process.kill(first)
  await expect.poll(() => refusesConnections(port), { timeout: 30_000 }).toBe(true)
  server.process.kill(second)
  busy.socket.write(BODY)
  const { status, body } = await busy.response()

  expect([status, body]).toEqual([201, { id: expect.any(Number), name: 'Mia', categoryId: 1 }])
  expect([await exited, await idle.rest(), await busy.rest()]).toEqual([[0, null], '', ''])
})
