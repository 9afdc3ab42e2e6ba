import { expect, test, vi } from 'vitest'
import type { Handler } from '../../../infra/local/lambda.ts'
import { badRequest, gatewayResponse, logged, serve, waiting, wireAndSocket, wireTo } from './local-server.ts'

const HEAD = 'GET /v1/pets HTTP/1.1\r\nHost: a\r\n'
const GET = `${HEAD}\r\n`
const POST = 'POST /v1/pets HTTP/1.1\r\nHost: a\r\n'
const CHUNKED = `${POST}Transfer-Encoding: chunked\r\n\r\n`
const END = '0\r\n\r\n'
/** A request that an attacker hides in or after another one. */
const SMUGGLED = 'GET /v1/pets/7 HTTP/1.1\r\nHost: a\r\n\r\n'

const echo: Handler = async ({ body }) => ({ statusCode: 200, body: JSON.stringify(body) })
const sizeOf: Handler = async ({ body }) => ({ statusCode: 200, body: JSON.stringify(body?.length) })

/** Sends a text to a server with these functions. */
const sendTo = async (handlers: Parameters<typeof serve>[0], text: string) => wireTo(await serve(handlers), text)

// The strict parser of Node.js finds most errors. Here are those that our code finds, and one for each way of responding.
test.each([
  ['an invalid request line', 'Hello\r\n\r\n'],
  ['a target that is not a path', 'OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n'],
  ['a future version', 'GET /v1/pets HTTP/2.0\r\nHost: a\r\n\r\n'],
  ['TLS', '\x16\x03\x01\x00\xa5\x01\x00\x00\xa1\x03\x03'],
  ['no Host', 'GET /v1/pets HTTP/1.1\r\n\r\n'],
  ['two Hosts', 'GET /v1/pets HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n'],
  ['an empty Host', 'GET /v1/pets HTTP/1.1\r\nHost:\r\n\r\n'],
  ['an invalid Host', 'GET /v1/pets HTTP/1.1\r\nHost: a/b\r\n\r\n'],
  ['CONNECT', 'CONNECT a:443 HTTP/1.1\r\nHost: a\r\n\r\n'],
])('returns 400 to %s, and keeps running', async (_name, text) => {
  const served = await serve()

  const wires = [await wireTo(served, text), await wireTo(served, GET)]

  const responses = await Promise.all(wires.map((wire) => wire.response()))
  expect(responses).toEqual([badRequest, expect.objectContaining({ status: 200 })])
})

test.each([
  ['two lengths', `${POST}Content-Length: 2\r\nContent-Length: 40\r\n\r\n{}`],
  ['a length after chunks', `${POST}Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n${END}`],
  ['an unknown coding', `${POST}Transfer-Encoding: xchunked\r\n\r\n${END}`],
  ['a header after a bare line feed', `${POST}X-Cat: a\nTransfer-Encoding: chunked\r\n\r\n${END}`],
  ['a chunk with an invalid size', `${CHUNKED}two\r\n{}\r\n${END}`],
  ['a chunk extension of 20 KB', `${CHUNKED}2;${'a'.repeat(20_000)}\r\n{}\r\n${END}`],
  ['a chunk that is longer than its size', `${CHUNKED}1\r\n{}\r\n${END}`],
  ['a length after the last chunk', `${CHUNKED}0\r\nContent-Length: 40\r\n\r\n`],
  ['an invalid chunk before 10 MB, without resetting the connection', `${CHUNKED}two\r\n${'a'.repeat(10_000_000)}`],
])('returns 400 to %s, and ends the connection', async (_name, text) => {
  const getPet = vi.fn<Handler>()
  const wire = await sendTo({ getPet }, text + SMUGGLED)

  const head = await wire.take(/\r\n\r\n/)

  const body = '{"code":"bad_request","message":"The request is malformed.","status":400}'
  expect([head.split('\r\n')[0], await wire.rest()]).toEqual(['HTTP/1.1 400 Bad Request', body])
  expect(head).toContain('\r\nConnection: close\r\n')
  expect(getPet).not.toHaveBeenCalled()
})

test.each([
  ['chunks in capitals', `${POST}Transfer-Encoding: CHUNKED\r\n\r\n2\r\n{}\r\n${END}`],
  ['a trailer', `${CHUNKED}2\r\n{}\r\n0\r\nX-Cat: a\r\n\r\n`],
])('reads a body with %s, and responds to the next request separately', async (_name, text) => {
  const wire = await sendTo({ createPet: echo, getPet: echo }, text + SMUGGLED)

  expect([(await wire.response()).body, (await wire.response()).body]).toEqual(['{}', null])
})

test('refuses a body in a coding that Node.js does not decode', async () => {
  const createPet = vi.fn<Handler>()
  const body = `Transfer-Encoding: gzip, chunked\r\n\r\n2\r\n{}\r\n${END}`
  const wire = await sendTo({ createPet }, POST + body + SMUGGLED)

  expect([await wire.response(), (await wire.response()).status]).toEqual([badRequest, 200])
  expect(createPet).not.toHaveBeenCalled()
})

test('ends the connection after a request to upgrade the protocol', async () => {
  const wire = await sendTo({}, `${HEAD}Connection: Upgrade\r\nUpgrade: h2c\r\n\r\n`)

  const head = await wire.take(/\r\n\r\n/)

  expect([head.split('\r\n')[0], await wire.rest()]).toEqual(['HTTP/1.1 200 OK', '[]'])
  expect(head).toContain('\r\nConnection: close\r\n')
})

test.each([
  ['one header over 10 KB', `X-Cat: ${'a'.repeat(10_240)}\r\n`],
  ['2 MB of headers, without resetting the connection', `X-Cat: ${'a'.repeat(2_000_000)}\r\n`],
])('returns 431 to %s', async (_name, headers) => {
  const wire = await sendTo({}, `${HEAD}${headers}\r\n`)

  const message = 'The headers must not be larger than 10 KB.'
  expect(await wire.response()).toEqual(gatewayResponse(431, 'request_header_fields_too_large', message))
  expect(await wire.rest()).toBe('')
})

test.each([
  ['headers of 10 KB', `X-Cat: ${'a'.repeat(10_000)}`],
  ['an unknown expectation', 'Expect: a-cat'],
])('accepts %s', async (_name, header) => {
  const wire = await sendTo({}, `${HEAD}${header}\r\n\r\n`)

  expect((await wire.response()).status).toBe(200)
})

test.each([
  ['garbage', 'Hello\r\n\r\n'],
  ['CONNECT', 'CONNECT a:443 HTTP/1.1\r\nHost: a\r\n\r\n'],
])('responds to the request in flight before %s, then ends the connection', async (_name, text) => {
  const { handler, release } = waiting()

  const { wire, socket } = await wireAndSocket(await serve({ listPets: handler }), GET + text)
  await vi.waitUntil(() => socket.bytesRead === GET.length + text.length, { timeout: 30_000 })
  release({ statusCode: 200, body: '["in flight"]' })
  const { body } = await wire.response()

  expect([body, await wire.rest()]).toEqual([['in flight'], ''])
})

test('returns 400 to garbage after a completed request', async () => {
  const wire = await sendTo({}, GET)

  const { status } = await wire.response()
  wire.socket.write('Hello\r\n\r\n')

  expect([status, await wire.response(), await wire.rest()]).toEqual([200, badRequest, ''])
})

test.each(['/v1/pets', '/v1/cats'])('logs a malformed body to %s once, with the id of the response', async (path) => {
  const wire = await sendTo({}, `${CHUNKED.replace('/v1/pets', path)}two\r\n`)

  const response = await wire.response()
  await wire.rest()

  expect(response).toEqual(badRequest)
  const requestId = response.headers['x-request-id']
  const line = { method: 'POST', path, status: 400, code: 'bad_request', requestId }
  expect(logged()).toEqual([{ ...line, time: expect.any(String), milliseconds: expect.any(Number) }])
})

const LIMIT = 10 * 1024 * 1024
const withLength = (bytes: number) => `${POST}Content-Length: ${bytes}\r\n\r\n${'a'.repeat(bytes)}`
const inChunks = (bytes: number) => `${CHUNKED}${bytes.toString(16)}\r\n${'a'.repeat(bytes)}\r\n${END}`

test.each([
  ['with its length', withLength],
  ['in chunks', inChunks],
])('accepts a body of 10 MB %s, and returns 413 to a larger one', async (_name, request) => {
  const wire = await sendTo({ createPet: sizeOf }, request(LIMIT))
  const responses = [await wire.response()]
  for (const next of [request(LIMIT + 1), withLength(2)]) {
    wire.socket.write(next)
    responses.push(await wire.response())
  }

  const tooLarge = gatewayResponse(413, 'payload_too_large', 'The body must not be larger than 256 KiB.')
  const sizes = [LIMIT, 2].map((body) => ({ status: 200, headers: {}, body }))
  expect(responses).toEqual([sizes[0], tooLarge, sizes[1]])
})

test('reads a large body before it returns 404 and ends the connection', async () => {
  const request = withLength(LIMIT).replace('/v1/pets', '/v1/cats').replace('Host', 'Connection: close\r\nHost')
  const wire = await sendTo({}, request)

  expect([(await wire.response()).status, await wire.rest()]).toEqual([404, ''])
})
