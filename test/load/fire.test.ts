import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { fire } from './fire.ts'
import { newLedger } from './ledger.ts'
import { requestsOf } from './requests.ts'

test('counts each answer by its status, and each request that gets none', async () => {
  let cut = 0
  const server = createServer(({ method, url = '' }, response) => {
    if (method === 'POST') return response.writeHead(201).end('{"id":7,"name":"Rex","categoryId":1}')
    if (!url.startsWith('/v1/pets/')) return response.writeHead(503).end('{}')
    cut++
    return response.socket?.end() // The connection ends as it should, but without an answer.
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => void server.close().closeAllConnections())
  const { port } = server.address() as AddressInfo // Only a server on a pipe has another kind of address.
  const ledger = { ...newLedger(), created: [{ id: 7, name: 'Rex', categoryId: 1 }] }
  const requests = requestsOf(ledger)

  const speed = await fire({ baseUrl: `http://127.0.0.1:${port}/v1`, apiKey: 'key' }, { requests, ledger, seconds: 1 })

  expect([...ledger.answers.keys()].sort()).toEqual(['createPet 201', 'listPets 503'])
  expect(ledger.created.length - 1).toBe(ledger.answers.get('createPet 201'))
  expect(speed.failed).toBeGreaterThan(0)
  expect(cut - speed.failed).toBeLessThanOrEqual(64) // The connections were closed before these were.
})
