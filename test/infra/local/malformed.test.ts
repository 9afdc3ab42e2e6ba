import { expect, test } from 'vitest'
import { gatewayAnswer, serve } from './front.ts'
import { exchange, wireTo } from './wire.ts'

test.each([
  ['a request line that is none', 'Hello\r\n\r\n'],
  ['an unknown method', 'FETCH /v1/pets HTTP/1.1\r\nHost: a\r\n\r\n'],
  ['a method in lower case', 'get /v1/pets HTTP/1.1\r\nHost: a\r\n\r\n'],
  ['no target', 'GET HTTP/1.1\r\nHost: a\r\n\r\n'],
  ['a target that is no path', 'GET v1/pets HTTP/1.1\r\nHost: a\r\n\r\n'],
  ['a target of another scheme', 'GET ftp://a/v1/pets HTTP/1.1\r\nHost: a\r\n\r\n'],
  ['no version', 'GET /v1/pets\r\nHost: a\r\n\r\n'],
  ['an old version', 'GET /v1/pets HTTP/0.9\r\nHost: a\r\n\r\n'],
  ['a version to come', 'GET /v1/pets HTTP/2.0\r\nHost: a\r\n\r\n'],
  ['a version in lower case', 'GET /v1/pets http/1.1\r\nHost: a\r\n\r\n'],
  ['more behind the version', 'GET /v1/pets HTTP/1.1 HTTP/1.1\r\nHost: a\r\n\r\n'],
  ['a space before the method', ' GET /v1/pets HTTP/1.1\r\nHost: a\r\n\r\n'],
  ['tabs in place of spaces', 'GET\t/v1/pets\tHTTP/1.1\r\nHost: a\r\n\r\n'],
  ['a null byte in the target', 'GET /v1/pets\0 HTTP/1.1\r\nHost: a\r\n\r\n'],
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
  ['a header with a null byte', 'GET /v1/pets HTTP/1.1\r\nHost: a\r\nX-Cat: a\0\r\n\r\n'],
  ['a header without a name', 'GET /v1/pets HTTP/1.1\r\nHost: a\r\n: a\r\n\r\n'],
  ['a name of a header beyond ASCII', 'GET /v1/pets HTTP/1.1\r\nHost: a\r\nX-Cat\xe9: a\r\n\r\n'],
  ['lines that end in a line feed only', 'GET /v1/pets HTTP/1.1\nHost: a\n\n'],
  ['CONNECT', 'CONNECT a:443 HTTP/1.1\r\nHost: a\r\n\r\n'],
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
