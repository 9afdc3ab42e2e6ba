import { expect, test } from 'vitest'
import { call } from '../functions/call.ts'
import { ask, serve } from '../infra/local/front.ts'
import { exchange } from '../infra/local/wire.ts'
import { eventOf } from './events.ts'
import './database.ts'

const PATH = 'shared/data/pets.ts'
const REFUSED = /^An answer with the status 20[01] holds the path of a file\.$/

const tellsPath = async () => ({ statusCode: 200, body: JSON.stringify([PATH]) })

test('refuses what a function answers', async () => {
  const event = eventOf('createPet-created', { body: JSON.stringify({ name: PATH, categoryId: 7 }) })

  await expect(call(event)).rejects.toThrow(REFUSED)
})

test('refuses what is answered over HTTP', async () => {
  const front = await serve({ listPets: tellsPath })

  await expect(ask(front, { path: '/v1/pets' })).rejects.toThrow(REFUSED)
})

test('refuses what is answered on a bare connection', async () => {
  const front = await serve({ listPets: tellsPath })

  await expect(exchange(front, 'GET /v1/pets HTTP/1.1\r\nHost: a\r\n\r\n')).rejects.toThrow(REFUSED)
})
