import { expect, test, vi } from 'vitest'
import type { Handler } from '../../../infra/local/lambda.ts'
import { example } from '../../support/example.ts'
import { ask, GET, gatewayResponse, POST, serve, wireTo } from './local-server.ts'

const { path, list, create } = example
/** A request that an attacker hides in or after another one. */
const SMUGGLED = GET

const echo: Handler = async ({ body }) => ({ statusCode: 200, body: JSON.stringify(body) })
const sizeOf: Handler = async ({ body }) => ({ statusCode: 200, body: JSON.stringify(body?.length) })

test.each([
  ['a header over 10 KB', `${POST}X-A: ${'a'.repeat(10_240)}\r\n\r\n`],
  ['a length after chunks', `${POST}Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n`],
  ['two lengths', `${POST}Content-Length: 2\r\nContent-Length: 40\r\n\r\n{}`],
])('ends the connection after %s, calls no function, and serves others', async (_name, text) => {
  const handler = vi.fn<Handler>()
  const served = await serve({ [list]: handler })
  const wire = await wireTo(served, text + SMUGGLED)

  expect(await wire.rest()).not.toContain(' 200 ')
  expect(handler).not.toHaveBeenCalled()
  expect((await ask(served, { method: 'POST' })).status).toBe(200)
})

test.each([
  ['an unknown expectation', `${POST}Expect: something\r\nContent-Length: 2\r\n\r\n{}`],
  ['headers of 10 KB', `${POST}X-A: ${'a'.repeat(10_000)}\r\nContent-Length: 2\r\n\r\n{}`],
])('reads a request with %s, and responds to the next one separately', async (_name, text) => {
  const wire = await wireTo(await serve({ [create]: echo, [list]: echo }), text + SMUGGLED)

  expect([(await wire.response()).body, (await wire.response()).body]).toEqual(['{}', null])
})

test('ends the connection after a request to upgrade the protocol', async () => {
  const wire = await wireTo(await serve(), `${POST}Connection: Upgrade\r\nUpgrade: h2c\r\n\r\n${SMUGGLED}`)

  const head = await wire.take(/\r\n\r\n/)

  expect([head, await wire.rest()]).toEqual([expect.stringMatching(/ 200 [\s\S]+\r\nConnection: close\r\n/), '[]'])
})

const LIMIT = 10 * 1024 * 1024
const withLength = (bytes: number) => `${POST}Content-Length: ${bytes}\r\n\r\n${'a'.repeat(bytes)}`

test('accepts a body of 10 MB, and returns 413 to a larger one', async () => {
  const wire = await wireTo(await serve({ [create]: sizeOf }), withLength(LIMIT))
  const responses = [await wire.response()]
  for (const length of [LIMIT + 1, 2]) {
    wire.socket.write(withLength(length))
    responses.push(await wire.response())
  }

  const tooLarge = gatewayResponse(413, 'payload_too_large', 'The body must not be larger than 256 KiB.')
  const sizes = [LIMIT, 2].map((body) => ({ status: 200, headers: {}, body }))
  expect(responses).toEqual([sizes[0], tooLarge, sizes[1]])
})

test('reads a large body before it returns 404 and ends the connection', async () => {
  const request = withLength(LIMIT).replace(path, '/nothing').replace('Host', 'Connection: close\r\nHost')
  const wire = await wireTo(await serve(), request)

  expect([(await wire.response()).status, await wire.rest()]).toEqual([404, ''])
})
