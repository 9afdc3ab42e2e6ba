import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { shopQuestions } from '../../infra/openapi/shop-questions.ts'
import type { Order } from '../../shared/orders/order.ts'
import { storedOrders } from '../../shared/orders/stored-orders.ts'
import { proxy, putItem } from '../support/database.ts'
import { send } from '../support/http.ts'
import { petOf, storedPet } from '../support/pets.ts'
import { exampleCredentials } from '../support/secrets.ts'
import {
  headersOf,
  type LocalServer,
  leastEnvironment,
  startTestServer,
  temporaryFolder,
} from '../support/server.ts'

const [settings = '', ...commands] = Array.from(
  shopQuestions.matchAll(/^```sh\n(.*?)^```$/gms),
  ([, command = '']) => command,
)

const rex = petOf(1)
const tom = petOf(2, { name: 'Tom', status: 'sold' })

/** An order of Tom that was completed at this time. */
const completedOrder = (id: number, completedAt: string): Order => ({
  id,
  petId: tom.id,
  complete: true,
  completedAt,
})
const dayBefore = completedOrder(11, '2026-11-26T23:59:59Z')
const early = completedOrder(12, '2026-11-27T00:00:00Z')
const late = completedOrder(13, '2026-11-27T23:59:59Z')
const dayAfter = completedOrder(14, '2026-11-28T00:00:00Z')

const soldTom = [dayBefore, early, late, dayAfter]

/** Stores both pets and the complete orders, and orders Rex. */
const startShop = async () => {
  const server = await startTestServer(['--empty'], { AWS_ENDPOINT_URL_DYNAMODB: proxy.endpoint })
  for (const pet of [rex, tom]) await putItem('pets', storedPet(pet.id, pet))
  for (const order of soldTom)
    await putItem('orders', { ...storedOrders.upgradedItem(order), revision: 'x' })
  const ordered = { method: 'POST', path: '/store/orders', body: `{"petId":${rex.id}}` }
  const { body } = await send(server.baseUrl, { ...ordered, headers: headersOf(server) })
  return { server, order: body as Order } // As the service returns it.
}

/** Runs a command of the page in a shell, with other values for its placeholders and its stage. */
const runIn = async (
  shell: string,
  server: LocalServer,
  command: string,
  ids: { petId: number; orderId: number },
) => {
  const values = { address: server.baseUrl, API_KEY: server.apiKey, ...ids }
  const prepared = settings.replaceAll(
    /<(\w+)>/g,
    (_, name: keyof typeof values) => `${values[name]}`,
  )
  const stage = `--stage local --port ${new URL(server.baseUrl).port}`
  const file = join(temporaryFolder(), 'orders.jsonl')
  const script =
    prepared + command.replace('--stage staging', stage).replaceAll('orders.jsonl', file)
  const database = { AWS_ENDPOINT_URL_DYNAMODB: proxy.endpoint, ...exampleCredentials }
  const env = { ...leastEnvironment, ...database }
  return (await promisify(execFile)(shell, ['-c', script], { env })).stdout
}

/** The status and the body that `curl -i` has printed. */
const responseOf = (printed: string) => {
  const [head = '', body = ''] = printed.split('\r\n\r\n')
  return { status: Number(head.split(' ')[1]), body: body.trim() && JSON.parse(body) }
}

test.each(['bash', 'zsh'])('%s runs a command for each question', async (shell) => {
  const { server, order } = await startShop()
  const ids = { petId: rex.id, orderId: order.id }
  const request = async (command = '', petId = rex.id) =>
    responseOf(await runIn(shell, server, command, { ...ids, petId }))
  const [available, ordersOfPet, open, sold = '', ...changes] = commands
  const [cancel, takeBack, rename, hold, ...others] = changes

  // The indexes follow the tables.
  await expect.poll(() => request(available)).toEqual({ status: 200, body: [] })
  await expect.poll(() => request(ordersOfPet)).toEqual({ status: 200, body: [order] })
  await expect.poll(() => request(open)).toEqual({ status: 200, body: [order] })
  expect(order).toHaveProperty('placedAt')
  const soldLines = async () =>
    (await runIn(shell, server, sold, ids)).split('\n').filter((line) => line.startsWith('{'))
  await expect
    .poll(async () => (await soldLines()).map((line) => JSON.parse(line)))
    .toEqual([late, early])

  const back = { ...tom, status: 'available' }
  expect(await request(cancel)).toEqual({ status: 204, body: '' })
  expect(await request(takeBack, tom.id)).toEqual({ status: 200, body: back })
  const renamed = { ...rex, name: 'Max' }
  expect(await request(rename)).toEqual({ status: 200, body: renamed })
  expect(await request(hold)).toEqual({ status: 200, body: { ...renamed, status: 'pending' } })
  await expect.poll(() => request(available)).toEqual({ status: 200, body: [back] })
  expect(others).toEqual([])
})
