import { expect, test, vi } from 'vitest'
import type { Handler } from '../../../infra/local/lambda.ts'
import { gatewayAnswer, serve } from './front.ts'
import { wireTo } from './wire.ts'

const POST = 'POST /v1/pets HTTP/1.1\r\nHost: a\r\n'
const CHUNKED = `${POST}Transfer-Encoding: chunked\r\n\r\n`
const END = '0\r\n\r\n'
const NEXT = 'GET /v1/pets/7 HTTP/1.1\r\nHost: a\r\n\r\n'

const echo: Handler = async ({ body }) => ({ statusCode: 200, body: JSON.stringify(body) })

test.each([
  ['a length with a zero in front', `${POST}Content-Length: 02\r\n\r\n{}`],
  ['a length in white space', `${POST}Content-Length: \t2 \r\n\r\n{}`],
  ['chunks in capitals', `${POST}Transfer-Encoding: CHUNKED\r\n\r\n2\r\n{}\r\n${END}`],
  ['a chunk size with zeros in front', `${CHUNKED}002\r\n{}\r\n${END}`],
  ['a chunk extension', `${CHUNKED}2;a="b"\r\n{}\r\n${END}`],
  ['a trailer', `${CHUNKED}2\r\n{}\r\n0\r\nX-Cat: a\r\n\r\n`],
])('reads a body with %s, and answers the request behind it as another', async (_name, text) => {
  const wire = await wireTo((await serve({ createPet: echo, getPet: echo })).port)

  wire.socket.write(text + NEXT)

  expect([(await wire.answer()).body, (await wire.answer()).body]).toEqual(['{}', null])
})

test.each(['gzip, chunked', 'identity, chunked'])('refuses a body in the coding %s', async (coding) => {
  const createPet = vi.fn<Handler>()
  const wire = await wireTo((await serve({ createPet })).port)

  wire.socket.write(`${POST}Transfer-Encoding: ${coding}\r\n\r\n2\r\n{}\r\n${END}${NEXT}`)

  expect(await wire.answer()).toEqual(gatewayAnswer(400, 'bad_request', 'The request is malformed.'))
  expect((await wire.answer()).status).toBe(200)
  expect(createPet).not.toHaveBeenCalled()
})

test('does not leave a client waiting that asked for another protocol before', async () => {
  const wire = await wireTo((await serve()).port)

  wire.socket.write('GET /v1/pets HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n')
  const head = await wire.take(/\r\n\r\n/)

  expect([head.split('\r\n')[0], await wire.rest()]).toEqual(['HTTP/1.1 200 OK', '[]'])
  expect(head).toContain('\r\nConnection: close\r\n')
})
