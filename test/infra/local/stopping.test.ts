import { once } from 'node:events'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { start } from './command.ts'
import { serve, waiting, wireAndSocket, wireTo } from './local-server.ts'

const NEVER = 2 ** 31 - 1
const GET = 'GET /v1/pets HTTP/1.1\r\nHost: a\r\n\r\n'
const HALF_OPEN = { allowHalfOpen: true }

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

test('does not wait longer than its limit', async () => {
  const { served, wire } = await serveRequest()

  await served.stop(1)

  expect(await wire.rest()).toBe('')
})

test.each([
  ['a client that has sent nothing', '', {}],
  ['an idle client', GET, {}],
  ['a client that keeps its side open after CONNECT', 'CONNECT a:443 HTTP/1.1\r\nHost: a\r\n\r\n', HALF_OPEN],
  ['a client that keeps its side open after invalid HTTP', 'Hello\r\n\r\n', HALF_OPEN],
])('ends the connection of %s', async (_name, text, options) => {
  const served = await serve()
  const { wire } = await wireAndSocket(served, text, options)
  if (text) await wire.response()

  await served.stop(NEVER)

  expect(await wire.rest()).toBe('')
})

const BODY = '{"name":"Mia","categoryId":1}'

const headOf = (apiKey: string) =>
  `POST /v1/pets HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${apiKey}\r\n` +
  `Content-Type: application/json\r\nContent-Length: ${BODY.length}\r\n`

test.each([
  ['SIGINT', 'SIGTERM'],
  ['SIGTERM', 'SIGINT'],
] as const)(
  'npm start completes the request in flight and exits with 0 on %s, also if %s follows',
  async (signal, other) => {
    const server = await start()
    const exited = once(server.process, 'exit')
    const head = headOf(server.apiKey)
    const idle = await wireTo(server, `${head}\r\n${BODY}`)
    await idle.response()
    const busy = await wireTo(server, `${head}Expect: 100-continue\r\n\r\n`)
    await busy.take(/^HTTP\/1\.1 100 Continue\r\n\r\n/)

    server.process.kill(signal)
    const isRefused = () =>
      wireTo(server).then(
        ({ socket }) => void socket.destroy(),
        () => true,
      )
    await expect.poll(isRefused, { timeout: 30_000 }).toBe(true)
    server.process.kill(signal)
    server.process.kill(other)
    busy.socket.write(BODY)
    const { status, body } = await busy.response()

    expect([status, body]).toEqual([201, { id: expect.any(Number), name: 'Mia', categoryId: 1 }])
    expect([await exited, await idle.rest(), await busy.rest()]).toEqual([[0, null], '', ''])
  },
)
