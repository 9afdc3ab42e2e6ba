import { expect, test } from 'vitest'
import { serve } from './front.ts'
import { wireTo } from './wire.ts'

const REQUESTS = 40

test('runs 16 functions at once, and the others in their turn', async () => {
  const everyRequest = Promise.withResolvers<void>()
  let [arrived, running, most] = [0, 0, 0]
  const listPets = async () => {
    most = Math.max(most, ++running)
    await everyRequest.promise
    running--
    return { statusCode: 200, body: '[]' }
  }
  const { server, port } = await serve({ listPets })
  server.on('request', () => {
    if (++arrived === REQUESTS) setImmediate(everyRequest.resolve)
  })
  const wires = await Promise.all(Array.from({ length: REQUESTS }, () => wireTo(port)))

  for (const { socket } of wires) socket.write('GET /v1/pets HTTP/1.1\r\nHost: a\r\n\r\n')
  const answers = await Promise.all(wires.map(({ answer }) => answer()))

  expect(answers.map(({ status }) => status)).toEqual(wires.map(() => 200))
  expect(most).toBe(16)
})
