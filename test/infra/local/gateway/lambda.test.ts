import { expect, test } from 'vitest'
import type { Handler } from '../../../../infra/local/gateway/lambda.ts'
import { ask, commonHeaders, gatewayResponse, NEVER, serve } from '../local-server.ts'

test("returns a function's status, headers and body, and nothing else", async () => {
  const result = { statusCode: 207, headers: { 'X-A': 'a' }, body: '[1]' }
  const served = await serve({ listPets: async () => result })

  expect(await ask(served)).toEqual({ status: 207, headers: { 'x-a': 'a' }, body: [1] })
})

test.each<[string, Handler]>([
  ['rejects', () => Promise.reject(new Error('A bug.'))],
  ['returns undefined', async () => undefined],
  ['returns a status code below 200', async () => ({ statusCode: 199, body: '[]' })],
  ['returns an object as body', async () => ({ statusCode: 404, body: {} })],
])('returns 502 when a function %s, and keeps running', async (_name, handler) => {
  const served = await serve({ listPets: handler })

  const responses = [await ask(served), await ask(served, { method: 'POST' })]

  const message =
    'Something went wrong on our side. Try again in a moment. If it happens again, report it with the X-Request-Id.'
  const badGateway = gatewayResponse(502, 'bad_gateway', message, { 'retry-after': '1' })
  const headers = { 'content-type': commonHeaders['content-type'] }
  expect(responses).toEqual([badGateway, { status: 200, headers, body: [] }])
})

test('returns 504 when a function does not respond in time', async () => {
  const served = await serve({ listPets: () => new Promise(() => {}) }, { functionMs: 1 })

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

  const { body } = await ask(await serve({ listPets: echo }))

  expect(body).toEqual(['listPets', expect.closeTo(NEVER, -8)])
})
