import { expect, test, vi } from 'vitest'
import type { Handler } from '../../../infra/local/lambda.ts'
import { example } from '../../support/example.ts'
import { ask, GET, POST, serve, wireTo } from './local-server.ts'

const { path, list, create } = example
/** A request that an attacker hides in or after another one. */
const SMUGGLED = GET

const echo: Handler = async ({ body }) => ({ statusCode: 200, body: JSON.stringify(body) })

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

test('reads a body of 10 MB before it returns 404 and ends the connection', async () => {
  const bytes = 10 * 1024 * 1024
  const request = `${POST.replace(path, '/nothing')}Connection: close\r\nContent-Length: ${bytes}\r\n\r\n`
  const wire = await wireTo(await serve(), request + 'a'.repeat(bytes))

  expect([(await wire.response()).status, await wire.rest()]).toEqual([404, ''])
})
