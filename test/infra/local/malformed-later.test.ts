import { expect, test, vi } from 'vitest'
import { gatewayAnswer, serve } from './front.ts'
import { wireAndSocket, wireTo } from './wire.ts'

const GET = 'GET /v1/pets HTTP/1.1\r\nHost: a\r\n\r\n'
const chunked = (path: string) => `POST ${path} HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n`
const badRequest = gatewayAnswer(400, 'bad_request', 'The request is malformed.')

test.each([
  ['garbage', 'Hello\r\n\r\n'],
  ['CONNECT', 'CONNECT a:443 HTTP/1.1\r\nHost: a\r\n\r\n'],
])('gives the request in flight its answer when %s follows, and then ends the connection', async (_name, text) => {
  const released = Promise.withResolvers<{ statusCode: number; body: string }>()
  const { wire, socket } = await wireAndSocket(await serve({ listPets: () => released.promise }))

  wire.socket.write(GET + text)
  await vi.waitUntil(() => socket.bytesRead === GET.length + text.length, { timeout: 30_000 })
  released.resolve({ statusCode: 200, body: '["in flight"]' })
  const { body } = await wire.answer()

  expect([body, await wire.rest()]).toEqual([['in flight'], ''])
})

test('answers what follows an answered request with a 400 of its own', async () => {
  const wire = await wireTo((await serve()).port)

  wire.socket.write(GET)
  const { status } = await wire.answer()
  wire.socket.write('Hello\r\n\r\n')

  expect([status, await wire.answer(), await wire.rest()]).toEqual([200, badRequest, ''])
})

test.each(['/v1/pets', '/v1/cats'])('answers and logs a malformed body to %s once, under one id', async (path) => {
  const wire = await wireTo((await serve()).port)

  wire.socket.write(`${chunked(path)}two\r\n`)
  const answer = await wire.answer()
  await wire.rest()

  expect(answer).toEqual(badRequest)
  expect(vi.mocked(console.info).mock.calls).toEqual([
    [{ requestId: answer.headers['x-request-id'], method: 'POST', path, status: 400 }],
  ])
})

test('does not reset the connection while what follows a malformed body is being sent', async () => {
  const wire = await wireTo((await serve()).port)

  wire.socket.write(`${chunked('/v1/pets')}two\r\n${'a'.repeat(10_000_000)}`)

  expect([await wire.answer(), await wire.rest()]).toEqual([badRequest, ''])
})

test('answers 400 when the client ends its side in the middle of a body', async () => {
  const wire = await wireTo((await serve()).port, { allowHalfOpen: true })

  wire.socket.end('POST /v1/pets HTTP/1.1\r\nHost: a\r\nContent-Length: 20\r\n\r\n{}')

  expect([await wire.answer(), await wire.rest()]).toEqual([badRequest, ''])
})
