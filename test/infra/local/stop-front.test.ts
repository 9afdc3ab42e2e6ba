import { once } from 'node:events'
import { setImmediate as turn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { stopServer } from '../../../infra/local/server.ts'
import { serve } from './front.ts'
import { waiting } from './waiting.ts'
import { wireTo } from './wire.ts'

const NEVER = 2 ** 31 - 1
const GET = 'GET /v1/pets HTTP/1.1\r\nHost: a\r\n\r\n'

test('answers the requests in flight, and takes no more', async () => {
  const { listPets, called, release } = waiting()
  const { server, port } = await serve({ listPets })
  const wire = await wireTo(port)
  wire.socket.write(GET)
  await called

  const stopped = stopServer(server, NEVER)
  const refused = await wireTo(port).catch((error) => error.code)
  release({ statusCode: 200, body: '["in flight"]' })

  const head = await wire.take(/\r\n\r\n/)

  expect([refused, head, await wire.rest()]).toEqual([
    'ECONNREFUSED',
    expect.stringMatching(/\r\nConnection: close\r\n/),
    '["in flight"]',
  ])
  await stopped
})

test('waits for what it does for a client that has left', async () => {
  const { listPets, called, release } = waiting()
  const { server, port } = await serve({ listPets })
  const wire = await wireTo(port)
  wire.socket.write(GET)
  await called
  const seen: string[] = []

  wire.socket.resetAndDestroy()
  const stopped = stopServer(server, NEVER).then(() => seen.push('stopped'))
  await once(server, 'close')
  await turn()
  seen.push('released')
  release({ statusCode: 200, body: '[]' })
  await stopped

  expect(seen).toEqual(['released', 'stopped'])
})

test('ends connections that are idle', async () => {
  const { server, port } = await serve()
  const wire = await wireTo(port)
  wire.socket.write(GET)
  await wire.answer()

  await stopServer(server, NEVER)

  expect(await wire.rest()).toBe('')
})

test('ends connections that nothing was sent on', async () => {
  const { server, port } = await serve()
  const [wire] = await Promise.all([wireTo(port), once(server, 'connection')])

  await stopServer(server, NEVER)

  expect(await wire.rest()).toBe('')
})

test.each([
  ['CONNECT', 'CONNECT a:443 HTTP/1.1\r\nHost: a\r\n\r\n'],
  ['what is no HTTP', 'Hello\r\n\r\n'],
])('does not wait for a client that keeps its side open after %s', async (_name, text) => {
  const { server, port } = await serve()
  const wire = await wireTo(port, { allowHalfOpen: true })
  wire.socket.write(text)
  await wire.answer()

  await stopServer(server, NEVER)

  expect(await wire.rest()).toBe('')
})

test('does not wait longer than it is told', async () => {
  const { listPets, called } = waiting()
  const { server, port } = await serve({ listPets })
  const wire = await wireTo(port)
  wire.socket.write(GET)
  await called

  await stopServer(server, 1)

  expect(await wire.rest()).toBe('')
})
