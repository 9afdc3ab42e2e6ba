import { expect, test } from 'vitest'
import type { Handler } from '../../../infra/local/lambda.ts'
import { createLocalApi } from '../../../infra/local/local-api.ts'
import { openApiText } from '../../../infra/openapi/document.ts'
import { type OperationId, operationIds } from '../../../shared/contract.ts'
import { send } from '../../support/http.ts'
import {
  ask,
  BASE,
  badGateway,
  gatewayResponse,
  listenUntilEnd,
} from '../packages/local-gateway/gateway.ts'

/** Longer than any test, as a time limit. */
const NEVER = 2 ** 31 - 1

/** Serves a function for each operation until the test ends. */
const serveApi = (handler: Handler, timeoutMs = NEVER) => {
  const handlers = Object.fromEntries(operationIds.map((id) => [id, handler]))
  return listenUntilEnd(createLocalApi(handlers as Record<OperationId, Handler>, timeoutMs))
}

const fail: Handler = () => Promise.reject(new Error('A bug.'))

test('serves the OpenAPI document as people read it, with the address that was asked for', async () => {
  const { baseUrl } = await serveApi(fail)
  const headers = { Host: 'a.example:8080', 'X-Forwarded-Proto': 'https' }
  const request = { path: `${BASE}/openapi.json`, headers }

  const { text } = await send(baseUrl, request)

  expect(text).toBe(openApiText([`https://a.example:8080${BASE}`]))
})

test('returns 502 when a function fails, and logs why', async () => {
  expect(await ask(await serveApi(fail))).toEqual(badGateway)
  expect(console.error).toHaveBeenCalledWith('A function has failed:', new Error('A bug.'))
})

test('returns 504 when a function does not respond in time', async () => {
  const served = await serveApi(() => new Promise(() => {}), 1)

  const message = 'The service did not respond in time. Try again in a moment.'
  expect(await ask(served)).toEqual(
    gatewayResponse(504, 'gateway_timeout', message, { 'retry-after': '1' }),
  )
})

test('passes a function its name and its remaining time, and runs only sixteen at once', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  let running = 0
  const served = await serveApi(async (_event, { functionName, getRemainingTimeInMillis }) => {
    running++
    await promise
    const body = JSON.stringify([functionName, getRemainingTimeInMillis()])
    return { statusCode: 207, headers: {}, body }
  })
  let arrived = 0
  served.server.on('request', () => arrived++)

  const responses = Array.from({ length: 20 }, () => ask(served))
  await expect.poll(() => arrived).toBe(20)
  const ranAtOnce = running
  resolve()

  const bodies = (await Promise.all(responses)).map(({ body }) => body)
  expect(ranAtOnce).toBe(16)
  expect(bodies).toEqual(Array(20).fill(['listPets', expect.closeTo(NEVER, -8)]))
})
