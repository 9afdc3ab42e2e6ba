import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { install } from '../infra/client/installed.ts'
import { server, visit } from './browser.ts'

/** Serves a page with the packed client, and returns its origin, which is not the API's. */
const serveShop = async (): Promise<string> => {
  const { folder } = await install()
  const client = readFileSync(join(folder, 'node_modules/pet-store/dist/client.js'))
  const shop = createServer(({ url }, response) => {
    const [type, body] =
      url === '/client.js' ? ['text/javascript', client] : ['text/html', '<link rel=icon href=data:,>']
    response.setHeader('Content-Type', type).end(body)
  })
  await once(shop.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => shop.close().closeAllConnections())
  const { port } = shop.address() as AddressInfo // Only a server on a pipe has another kind of address.
  return `http://127.0.0.1:${port}`
}

// Text, because the browser runs it, not this process.
const PROGRAM = `async (options) => {
  const { createClient, ServiceError } = await import('/client.js')
  const client = createClient(options)
  for (const categoryId of [7, 2n ** 63n - 1n]) await client.createPet({ name: 'Rex', categoryId })
  const { id: petId } = await client.createPet({ name: 'Mia', categoryId: 7 })
  await client.updatePet({ petId, name: 'Tom' })
  await client.deletePet({ petId })
  const listed = await client.listPets({ limit: 1 }).toArray()
  const error = await client.createPet({ name: '', categoryId: 7 }).catch((thrown) => thrown)
  const stranger = await createClient({ ...options, apiKey: 'wrong' }).deletePet({ petId }).catch((thrown) => thrown)
  const failures = [error, stranger].filter((thrown) => thrown instanceof ServiceError)
  return { listed, failures: failures.map(({ code, status, requestId }) => ({ code, status, requestId })) }
}`

test('the packed client adds, changes, deletes and lists pets in a browser, from a page of another origin', async () => {
  const shop = await serveShop()
  const { page } = await visit(shop)
  await page.goto(shop)

  const options = JSON.stringify({ baseUrl: server.baseUrl, apiKey: server.apiKey })
  const done = await page.evaluate(`(${PROGRAM})(${options})`)

  const rex = { id: expect.any(Number), name: 'Rex' }
  const requestId = expect.stringMatching(/^\S+$/)
  const pets = [
    { ...rex, categoryId: 9223372036854775807n },
    { ...rex, categoryId: 7 },
  ]
  expect(done).toEqual({
    listed: pets,
    failures: [
      { code: 'bad_request', status: 400, requestId },
      { code: 'unauthorized', status: 401, requestId },
    ],
  })
})
