import { once } from 'node:events'
import { expect, test } from 'vitest'
import { serve } from './front.ts'
import { waiting } from './waiting.ts'
import { wireAndSocket } from './wire.ts'

const GET = 'GET /v1/pets HTTP/1.1\r\nHost: a\r\n\r\n'

test.each([
  ['a request', GET, []],
  ['a request with a body', 'POST /v1/pets HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{}', []],
  ['two requests', GET + GET.replace('pets', 'pets/7'), [['second']]],
  ['a request and the start of another', `${GET}GET /v1`, []],
])('answers a client that ends its side behind %s, and then ends the connection', async (_name, text, next) => {
  const { listPets, called, release } = waiting()
  const getPet = async () => ({ statusCode: 200, body: '["second"]' })
  const { wire, socket } = await wireAndSocket(await serve({ listPets, createPet: listPets, getPet }), {
    allowHalfOpen: true,
  })
  const ended = once(socket, 'end')

  wire.socket.end(text)
  await Promise.all([called, ended])
  release({ statusCode: 200, body: '["first"]' })
  const bodies = []
  for (const _ of [['first'], ...next]) bodies.push((await wire.answer()).body)

  expect([bodies, await wire.rest()]).toEqual([[['first'], ...next], ''])
})

test.each([
  ['nothing', ''],
  ['an empty line', '\r\n'],
  ['a request', GET],
  ['the start of a request', 'GET /v1'],
])('keeps nothing of a client that ends its side behind %s', async (_name, text) => {
  const { wire, socket } = await wireAndSocket(await serve())

  wire.socket.end(text)

  await expect.poll(() => socket.destroyed, { timeout: 30_000 }).toBe(true)
})
