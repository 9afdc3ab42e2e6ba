import { connect } from 'node:net'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, onTestFinished, test } from 'vitest'
import type { Handler } from '../../../infra/local/lambda.ts'
import { createLocalApi } from '../../../infra/local/local-api.ts'
import { listeningAddress } from '../../../infra/local/ports.ts'
import { openApiText } from '../../../infra/openapi/document.ts'
import { type OperationId, operationIds } from '../../../shared/contract.ts'
import { send } from '../../support/http.ts'
import {
  ask,
  BASE,
  badGateway,
  GET,
  gatewayResponse,
  listenUntilEnd,
  logged,
  NEVER,
  waiting,
} from '../packages/local-gateway/gateway.ts'

type Handlers = Record<OperationId, Handler>

const ok: Handler = async () => ({ statusCode: 200, body: '[]' })
const everyOk = Object.fromEntries(operationIds.map((id) => [id, ok])) as Handlers

/** Serves functions of a test until it ends. Those that are not given respond with `[]`. */
const serveApi = (handlers: Partial<Handlers> = {}, limits = {}) =>
  listenUntilEnd(createLocalApi({ ...everyOk, ...handlers }, { functionMs: NEVER, ...limits }))

test('serves the OpenAPI document as people read it, with the address that was asked for', async () => {
  const headers = { Host: 'a.example:8080' }

  const { text } = await send((await serveApi()).baseUrl, {
    path: `${BASE}/openapi.json`,
    headers,
  })

  expect(text).toBe(openApiText([`http://a.example:8080${BASE}`]))
})

test.each<[string, Handler]>([
  ['rejects', () => Promise.reject(new Error('A bug.'))],
  ['returns undefined', async () => undefined],
  ['returns a status code below 200', async () => ({ statusCode: 199, body: '[]' })],
  ['returns an object as body', async () => ({ statusCode: 404, body: {} })],
])('returns 502 when a function %s, and keeps running', async (_name, handler) => {
  const served = await serveApi({ listPets: handler })

  const responses = [await ask(served), await ask(served, { method: 'POST' })]

  const ok = expect.objectContaining({ status: 200, body: [] })
  expect(responses).toEqual([badGateway, ok])
})

test('returns 504 when a function does not respond in time', async () => {
  const served = await serveApi({ listPets: () => new Promise(() => {}) }, { functionMs: 1 })

  const message = 'The service did not respond in time. Try again in a moment.'
  expect(await ask(served)).toEqual(
    gatewayResponse(504, 'gateway_timeout', message, { 'retry-after': '1' }),
  )
})

test('passes a function its name and its remaining time', async () => {
  const echo: Handler = async (_event, { functionName, getRemainingTimeInMillis }) => ({
    statusCode: 207,
    body: JSON.stringify([functionName, getRemainingTimeInMillis()]),
  })

  const { body } = await ask(await serveApi({ listPets: echo }))

  expect(body).toEqual(['listPets', expect.closeTo(NEVER, -8)])
})

test('runs only some functions at once', async () => {
  const { handler, release } = waiting()
  const served = await serveApi({ listPets: handler }, { functions: 2 })
  let arrived = 0
  served.server.on('request', () => arrived++)
  const responses = [ask(served), ask(served), ask(served)]
  await expect.poll(() => arrived).toBe(3)

  const running = handler.mock.calls.length
  release({ statusCode: 199, body: '' }) // A bug: the next function runs after it, too.

  const statuses = (await Promise.all(responses)).map(({ status }) => status)
  expect([running, ...statuses]).toEqual([2, 502, 502, 502])
})

setFlagsFromString('--expose-gc')
const collectGarbage: () => void = runInNewContext('gc')

/** The memory of this process after a garbage collection, in MB. */
const memory = (): number => {
  collectGarbage()
  return process.memoryUsage().rss / 1e6
}

test('needs the memory of the reference page once for all clients that do not read it', async () => {
  const { server } = await serveApi()
  const before = memory()

  for (let i = 0; i < 100; i++) {
    const socket = connect(listeningAddress(server).port, '127.0.0.1')
    onTestFinished(() => void socket.destroy())
    socket.write(GET.replace('/pets', '/docs.js'))
  }

  await expect.poll(logged).toHaveLength(100)
  expect(memory()).toBeLessThan(before + 100)
})
