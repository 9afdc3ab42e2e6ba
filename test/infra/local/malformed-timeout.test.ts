import { expect, test, vi } from 'vitest'
import { gatewayAnswer, serve } from './front.ts'
import { wireAndSocket } from './wire.ts'

test.each([
  ['head', 'GET /v1/pets HT'],
  ['body', 'POST /v1/pets HTTP/1.1\r\nHost: a\r\nContent-Length: 20\r\n\r\n{'],
])('answers 408 when the rest of a %s does not come in time', async (_name, text) => {
  const front = await serve()
  const { wire, socket } = await wireAndSocket(front)

  wire.socket.write(text)
  await vi.waitUntil(() => socket.bytesRead === text.length, { timeout: 30_000 })
  // What Node.js does after the 30 seconds that no test should wait for.
  front.server.emit('clientError', Object.assign(new Error(), { code: 'ERR_HTTP_REQUEST_TIMEOUT' }), socket)

  expect([await wire.answer(), await wire.rest()]).toEqual([
    gatewayAnswer(408, 'request_timeout', 'The request did not arrive in time. Send it again.'),
    '',
  ])
})
