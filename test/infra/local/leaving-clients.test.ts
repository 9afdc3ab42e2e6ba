import { once } from 'node:events'
import { expect, test } from 'vitest'
import { send } from '../../support/http.ts'
import type { LocalServer } from '../../support/server.ts'
import { start } from './command.ts'
import { commonHeaders, serve } from './front.ts'
import { wireTo } from './wire.ts'

const TIMES = 10

/** Sends a text on a connection, and breaks it off. */
const sendAndLeave = async (port: number, text: string): Promise<void> => {
  const { socket } = await wireTo(port)
  socket.write(text, () => socket.resetAndDestroy())
  await once(socket, 'close')
}

const list = async ({ baseUrl, apiKey }: LocalServer) => {
  const { status, body } = await send(baseUrl, { path: '/pets', headers: { Authorization: `Bearer ${apiKey}` } })
  return { status, body }
}

const POST = 'POST /v1/pets HTTP/1.1\r\nHost: a\r\n'

test.each([
  ['before a request', ' '],
  ['in the middle of a head', 'GET /v1/pets HT'],
  ['in the middle of a body', `${POST}Content-Length: 20\r\n\r\n{`],
  ['in the middle of a chunk', `${POST}Transfer-Encoding: chunked\r\n\r\nff\r\n{`],
  ['before the answer', 'GET /v1/pets HTTP/1.1\r\nHost: a\r\n\r\n'],
  ['after what is no HTTP', 'Hello\r\n\r\n'],
  ['after CONNECT', 'CONNECT a:443 HTTP/1.1\r\nHost: a\r\n\r\n'],
])('a client that leaves %s harms nobody', async (_name, text) => {
  const server = await start()
  const port = Number(new URL(server.baseUrl).port)

  for (let i = 0; i < TIMES; i++) await sendAndLeave(port, text)
  const listed = await list(server)
  const code = await server.stop()

  expect([listed, code]).toEqual([{ status: 200, body: [] }, 0])
  expect(server.output()).not.toContain('Error')
})

test('a client that leaves the embedded database in the middle of a request harms nobody', async () => {
  const server = await start()
  const port = Number(/Database +http:\/\/127\.0\.0\.1:(\d+)/.exec(server.output())?.[1])

  for (let i = 0; i < TIMES; i++) await sendAndLeave(port, 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 20\r\n\r\n{')
  const listed = await list(server)
  const code = await server.stop()

  expect([listed, code]).toEqual([{ status: 200, body: [] }, 0])
})

test('a client that leaves in the middle of an answer harms nobody', async () => {
  const body = JSON.stringify('a'.repeat(50_000_000))
  const front = await serve({ listPets: async () => ({ statusCode: 200, body }) })
  const wire = await wireTo(front.port)

  wire.socket.write('GET /v1/pets HTTP/1.1\r\nHost: a\r\n\r\n')
  await wire.take(/^HTTP\/1\.1 200 OK/)
  wire.socket.resetAndDestroy()
  const next = await send(front.baseUrl, { path: '/v1/pets/7' })

  expect([next.status, next.body, next.headers['content-type']]).toEqual([200, [], commonHeaders['content-type']])
})
