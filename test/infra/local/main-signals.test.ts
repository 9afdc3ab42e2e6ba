import { once } from 'node:events'
import { expect, test } from 'vitest'
import { start } from './command.ts'
import { wireTo } from './wire.ts'

const BODY = '{"name":"Mia","categoryId":1}'

const headOf = (apiKey: string, expectation = '') =>
  `POST /v1/pets HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${apiKey}\r\n${expectation}` +
  `Content-Type: application/json\r\nContent-Length: ${BODY.length}\r\n\r\n`

const refusesConnections = async (port: number): Promise<boolean> => {
  const wire = await wireTo(port).catch(() => undefined)
  wire?.socket.destroy()
  return wire === undefined
}

test.each([
  ['SIGINT', 'SIGINT'],
  ['SIGTERM', 'SIGTERM'],
  ['SIGINT', 'SIGTERM'],
] as const)('on %s, and %s after it, finishes the request in flight and ends with 0', async (first, second) => {
  const server = await start()
  const port = Number(new URL(server.baseUrl).port)
  const exited = once(server.process, 'exit')
  const idle = await wireTo(port)
  idle.socket.write(headOf(server.apiKey) + BODY)
  await idle.answer()
  const busy = await wireTo(port)
  busy.socket.write(headOf(server.apiKey, 'Expect: 100-continue\r\n'))
  await busy.take(/^HTTP\/1\.1 100 Continue\r\n\r\n/)

  server.process.kill(first)
  await expect.poll(() => refusesConnections(port), { timeout: 30_000 }).toBe(true)
  server.process.kill(second)
  busy.socket.write(BODY)
  const { status, body } = await busy.answer()

  expect([status, body]).toEqual([201, { id: expect.any(Number), name: 'Mia', categoryId: 1 }])
  expect([await exited, await idle.rest(), await busy.rest()]).toEqual([[0, null], '', ''])
})

test('ends with 0 although nothing was asked of it', async () => {
  const server = await start()

  const code = await server.stop('SIGINT')

  expect([code, server.output()]).toEqual([0, expect.stringMatching(/002lJW3V'\n\n$/)])
})
