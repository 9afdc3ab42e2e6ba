import { expect, test } from 'vitest'
import { gatewayAnswer, serve } from './front.ts'
import { exchange, wireTo } from './wire.ts'

const POST = 'POST /v1/pets HTTP/1.1\r\nHost: a\r\n'

test.each([
  ['a request line that is none', 'Hello\r\n\r\n'],
  ['an unknown method', 'FETCH /v1/pets HTTP/1.1\r\nHost: a\r\n\r\n'],
  ['a version that is none', 'GET /v1/pets HTTP/9.9\r\nHost: a\r\n\r\n'],
  ['a space in the target', 'GET /v1/pets /7 HTTP/1.1\r\nHost: a\r\n\r\n'],
  ['a byte beyond ASCII in the target', 'GET /v1/pets/\xe9 HTTP/1.1\r\nHost: a\r\n\r\n'],
  ['HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
  ['TLS', '\x16\x03\x01\x00\xa5\x01\x00\x00\xa1\x03\x03'],
  ['no Host', 'GET /v1/pets HTTP/1.1\r\n\r\n'],
  ['two Hosts', 'GET /v1/pets HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n'],
  ['an empty Host', 'GET /v1/pets HTTP/1.1\r\nHost:\r\n\r\n'],
  ['a Host that is none', 'GET /v1/pets HTTP/1.1\r\nHost: a/b\r\n\r\n'],
  ['a header without a colon', 'GET /v1/pets HTTP/1.1\r\nHost: a\r\nX-Cat\r\n\r\n'],
  ['a header with a control character', 'GET /v1/pets HTTP/1.1\r\nHost: a\r\nX-Cat: \x01\r\n\r\n'],
  ['lines that end in a line feed only', 'GET /v1/pets HTTP/1.1\nHost: a\n\n'],
  ['CONNECT', 'CONNECT a:443 HTTP/1.1\r\nHost: a\r\n\r\n'],
  ['two lengths', `${POST}Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}`],
  ['a length that is none', `${POST}Content-Length: two\r\n\r\n{}`],
  ['a length beside chunks', `${POST}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`],
  ['a coding that is not known', `${POST}Transfer-Encoding: gzip\r\n\r\n{}`],
  ['a chunk whose size is none', `${POST}Transfer-Encoding: chunked\r\n\r\ntwo\r\n{}\r\n0\r\n\r\n`],
  ['a chunk that is longer than it says', `${POST}Transfer-Encoding: chunked\r\n\r\n1\r\n{}\r\n0\r\n\r\n`],
])('answers 400 to %s, and lives on', async (_name, text) => {
  const front = await serve()

  const answer = await exchange(front, text)
  const next = await exchange(front, 'GET /v1/pets HTTP/1.1\r\nHost: a\r\n\r\n')

  expect(answer).toEqual(gatewayAnswer(400, 'bad_request', 'The request is malformed.'))
  expect(next.status).toBe(200)
})

test.each([
  ['one header over 10 KB', `X-Cat: ${'a'.repeat(10_240)}\r\n`],
  ['many headers', 'X-Cat: a\r\n'.repeat(2000)],
])('answers 431 to %s', async (_name, headers) => {
  const front = await serve()

  const answer = await exchange(front, `GET /v1/pets HTTP/1.1\r\nHost: a\r\n${headers}\r\n`)

  expect(answer).toEqual(
    gatewayAnswer(431, 'request_header_fields_too_large', 'The headers must not be larger than 10 KB.'),
  )
})

test('answers 431 to megabytes of headers, and does not reset the connection while they are being sent', async () => {
  const wire = await wireTo((await serve()).port)

  wire.socket.write(`GET /v1/pets HTTP/1.1\r\nHost: a\r\nX-Cat: ${'a'.repeat(2_000_000)}\r\n\r\n`)
  const { status } = await wire.answer()

  expect([status, await wire.rest()]).toEqual([431, ''])
})

test('takes headers of up to 10 KB', async () => {
  const front = await serve()

  const { status } = await exchange(front, `GET /v1/pets HTTP/1.1\r\nHost: a\r\nX-Cat: ${'a'.repeat(10_000)}\r\n\r\n`)

  expect(status).toBe(200)
})
