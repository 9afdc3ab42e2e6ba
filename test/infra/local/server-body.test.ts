import { expect, test } from 'vitest'
import type { Handler } from '../../../infra/local/lambda.ts'
import { gatewayAnswer, serve } from './front.ts'
import { wireTo } from './wire.ts'

const LIMIT = 10 * 1024 * 1024

const tooLarge = gatewayAnswer(413, 'payload_too_large', 'The body must not be larger than 256 KiB.')
const sizeOf: Handler = async ({ body }) => ({ statusCode: 200, body: JSON.stringify(body?.length) })

const POST = 'POST /v1/pets HTTP/1.1\r\nHost: a\r\n'
const withLength = (bytes: number) => `${POST}Content-Length: ${bytes}\r\n\r\n${'a'.repeat(bytes)}`
const inChunks = (bytes: number) =>
  `${POST}Transfer-Encoding: chunked\r\n\r\n${bytes.toString(16)}\r\n${'a'.repeat(bytes)}\r\n0\r\n\r\n`

test.each([
  ['with its length', withLength],
  ['in chunks', inChunks],
])('passes on a body of 10 MB that is sent %s', async (_name, request) => {
  const front = await serve({ createPet: sizeOf })
  const wire = await wireTo(front.port)

  wire.socket.write(request(LIMIT))

  expect(await wire.answer()).toEqual({ status: 200, headers: {}, body: LIMIT })
})

test.each([
  ['with its length', withLength],
  ['in chunks', inChunks],
])(
  'answers 413 to a larger one that is sent %s, and then the next request on that connection',
  async (_name, request) => {
    const front = await serve({ createPet: sizeOf })
    const wire = await wireTo(front.port)

    wire.socket.write(request(LIMIT + 1))
    const first = await wire.answer()
    wire.socket.write(withLength(2))
    const second = await wire.answer()

    expect([first, second]).toEqual([tooLarge, { status: 200, headers: {}, body: 2 }])
  },
)

test.each([
  ['/v1/pets', 405],
  ['/v1/cats', 404],
])('answers a client that sends a large body to %s and nothing more with %d', async (path, status) => {
  const wire = await wireTo((await serve()).port)

  wire.socket.write(
    withLength(LIMIT).replace('POST /v1/pets', `PUT ${path}`).replace('Host', 'Connection: close\r\nHost'),
  )

  expect([(await wire.answer()).status, await wire.rest()]).toEqual([status, ''])
})

test('asks a client that waits before it sends a body to go on', async () => {
  const front = await serve({ createPet: sizeOf })
  const wire = await wireTo(front.port)

  wire.socket.write(`${POST}Expect: 100-continue\r\nContent-Length: 2\r\n\r\n`)
  await wire.take(/^HTTP\/1\.1 100 Continue\r\n\r\n/)
  wire.socket.write('{}')

  expect(await wire.answer()).toEqual({ status: 200, headers: {}, body: 2 })
})
