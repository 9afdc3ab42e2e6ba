import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { service } from '../../shared/service.ts'
import { install } from '../infra/client/installed.ts'
import { example, has } from '../support/example.ts'
import { server, visit } from './browser.ts'

/** Serves a page with the packed client, and returns its origin, which is not the API's. */
const serveShop = async (): Promise<string> => {
  const { folder } = await install()
  const client = readFileSync(join(folder, 'node_modules', service.name, 'dist/client.js'))
  const shop = createServer(({ url }, response) => {
    const [type, body] =
      url === '/client.js'
        ? ['text/javascript', client]
        : ['text/html', '<link rel=icon href=data:,>']
    response.setHeader('Content-Type', type).end(body)
  })
  await once(shop.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => shop.close().closeAllConnections())
  // Only a server on a pipe has another kind of address.
  const { port } = shop.address() as AddressInfo
  return `http://127.0.0.1:${port}`
}

// Text, because the browser runs it, not this process.
const PROGRAM = `async ({ example, ...options }) => {
  const { createClient, ServiceError } = await import('/client.js')
  const client = createClient(options)
  const integer = example.integer && { [example.integer]: BigInt(example.largest) }
  const created = await client[example.create]({ ...example.body, ...integer })
  const listed = await client[example.list]({ limit: 1 }).toArray()
  const invalid = client[example.create](example.invalid.body)
  const stranger = createClient({ ...options, apiKey: 'wrong' })[example.list]().toArray()
  const failures = (await Promise.allSettled([invalid, stranger])).map(({ reason }) => reason)
  return { created, listed, failures: failures.map((error) => error instanceof ServiceError && error.toJSON()) }
}`

test('the packed client works in a browser, from a page of another origin', async () => {
  const shop = await serveShop()
  const { page } = await visit(shop)
  await page.goto(shop)

  const { baseUrl, apiKey } = server
  const { create, list, invalid } = example
  const { field, range = [] } = example.integer
  const largest = { integer: field, largest: `${range[1]}` }
  const names = { create, list, invalid, body: example.body(), ...largest }
  const options = JSON.stringify({ baseUrl, apiKey, example: names })
  const done = await page.evaluate(`(${PROGRAM})(${options})`)

  const exact = has.integer && { [field]: range[1] }
  const created = { ...example.body(), ...example.given, ...exact, id: expect.any(Number) }
  const requestId = expect.stringMatching(/^\S+$/)
  expect(done).toMatchObject({
    created,
    listed: [created],
    failures: [
      { code: 'bad_request', status: 400, requestId },
      { code: 'unauthorized', status: 401, requestId },
    ],
  })
})
