import { once } from 'node:events'
import { expect, test } from 'vitest'
import { gatewayAnswer, serve } from './front.ts'
import { wireAndSocket, wireTo } from './wire.ts'

// So short that no test waits for it.
const patience = { requestMs: 100, silenceMs: 100, checkMs: 10 }

const POST = 'POST /v1/pets HTTP/1.1\r\nHost: a\r\n'
const requestTimeout = gatewayAnswer(408, 'request_timeout', 'The request did not arrive in time. Retry it.')

test.each([
  ['a client that sends nothing', ''],
  ['a head of which the rest does not come', 'GET /v1/pets HT'],
  ['a body of which the rest does not come', `${POST}Content-Length: 20\r\n\r\n{`],
  ['chunks of which the last does not come', `${POST}Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\n`],
])('answers 408 to %s, and ends the connection', async (_name, text) => {
  const wire = await wireTo((await serve({}, { patience })).port)

  wire.socket.write(text)

  expect([await wire.answer(), await wire.rest()]).toEqual([requestTimeout, ''])
})

test.each([
  ['head', 'GET /v1/pets HTTP/1.1\r\nHost: a\r\nX-Cat: ', 'a'],
  ['body', `${POST}Content-Length: 1000000\r\n\r\n`, 'a'],
  ['row of chunks', `${POST}Transfer-Encoding: chunked\r\n\r\n`, '1\r\na\r\n'],
])('answers 408 to a %s that comes bit by bit and never ends', async (_name, start, part) => {
  const wire = await wireTo((await serve({}, { patience })).port)

  wire.socket.write(start)
  const drip = setInterval(() => wire.socket.write(part), 10)
  const answer = await wire.answer().finally(() => clearInterval(drip))

  expect([answer, await wire.rest()]).toEqual([requestTimeout, ''])
})

test('ends the connection of a client that does not take its answer', async () => {
  const body = JSON.stringify('a'.repeat(50_000_000))
  const front = await serve({ listPets: async () => ({ statusCode: 200, body }) }, { patience })
  const { wire, socket } = await wireAndSocket(front)

  wire.socket.pause()
  wire.socket.write('GET /v1/pets HTTP/1.1\r\nHost: a\r\n\r\n')

  expect(await once(socket, 'close')).toEqual([false])
})
