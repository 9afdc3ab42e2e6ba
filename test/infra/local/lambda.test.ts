import { expect, onTestFinished, test, vi } from 'vitest'
import type { Handler } from '../../../infra/local/lambda.ts'
import { ask, commonHeaders, gatewayResponse, serve, wireTo } from './local-server.ts'

const MESSAGE =
  'Something went wrong on our side. Try again in a moment. If it happens again, report it with the X-Request-Id.'
const badGateway = gatewayResponse(502, 'bad_gateway', MESSAGE, { 'retry-after': '1' })

test.each<[string, object, object]>([
  [
    'status, headers and body',
    { statusCode: 207, headers: { 'X-Cat': 'Mia' }, body: '[1]' },
    { status: 207, headers: { 'x-cat': 'Mia' }, body: [1] },
  ],
  ['empty body', { statusCode: 204 }, { status: 204, headers: {}, body: undefined }],
])("returns a function's %s, and nothing else", async (_name, result, expected) => {
  const served = await serve({ listPets: async () => result })

  const response = await ask(served, { path: '/v1/pets' })

  expect(response).toEqual(expected)
})

const throwBug = () => {
  throw new Error('A bug.')
}

test.each<[string, Handler]>([
  ['rejects', async () => throwBug()],
  ['rejects with undefined', () => Promise.reject()],
  ['throws', throwBug],
])('returns 502 when a function %s, and keeps running', async (_name, listPets) => {
  const served = await serve({ listPets })

  const responses = [await ask(served, { path: '/v1/pets' }), await ask(served, { method: 'POST', path: '/v1/pets' })]

  const { 'content-type': json } = commonHeaders
  expect(responses).toEqual([badGateway, { status: 200, headers: { 'content-type': json }, body: [] }])
})

test('passes on a body that is not JSON, with a warning', async () => {
  const warn = vi.spyOn(console, 'warn').mockReturnValue()
  onTestFinished(() => warn.mockRestore())
  const served = await serve({
    listPets: async () => ({ statusCode: 200, headers: { 'Content-Type': 'text/plain' }, body: 'pets' }),
  })

  const { status } = await ask(served, { path: '/v1/pets' })

  expect(status).toBe(200)
  expect(warn).toHaveBeenCalledWith(expect.any(String), 'listPets', 'the body is not JSON')
})

test.each([
  ['undefined', undefined],
  ['a status code as a string', { statusCode: '200', body: '[]' }],
  ['a status code below 200', { statusCode: 199, body: '[]' }],
  ['an object as body', { statusCode: 404, body: {} }],
  ['a string as headers', { statusCode: 200, headers: 'X-Cat: Mia', body: '[]' }],
  ['a header with a line break', { statusCode: 200, headers: { 'X-Cat': 'Mia\r\nX-Dog: Rex' }, body: '[]' }],
  ['a header name with a space', { statusCode: 200, headers: { 'X Cat': 'Mia' }, body: '[]' }],
])('returns 502 when a function returns %s', async (_name, result) => {
  const served = await serve({ listPets: async () => result })

  const response = await ask(served, { path: '/v1/pets' })

  expect(response).toEqual(badGateway)
})

test('returns 504 when a function exceeds its time limit', async () => {
  const served = await serve({ listPets: () => new Promise(() => {}) }, 1)

  const response = await ask(served, { path: '/v1/pets' })

  const message = 'The service did not respond in time. Try again in a moment.'
  expect(response).toEqual(gatewayResponse(504, 'gateway_timeout', message, { 'retry-after': '1' }))
})

test('passes a function its name and its remaining time', async () => {
  const timeoutMs = 2 ** 31 - 1
  const echo: Handler = async (_event, { functionName, getRemainingTimeInMillis }) => ({
    statusCode: 200,
    body: JSON.stringify([functionName, getRemainingTimeInMillis()]),
  })

  const { body } = await ask(await serve({ listPets: echo }, timeoutMs), { path: '/v1/pets' })

  expect(body).toEqual(['listPets', expect.closeTo(timeoutMs, -8)])
})

test('runs 16 functions at once, and queues the others, also after some have failed', async () => {
  const REQUESTS = 40
  let [arrived, running, most] = [0, 0, 0]
  let allArrived = Promise.withResolvers<void>()
  const listPets = async () => {
    most = Math.max(most, ++running)
    await allArrived.promise
    running--
    if (arrived === REQUESTS) throw new Error('A bug in the first round.')
    return { statusCode: 200, body: '[]' }
  }
  const served = await serve({ listPets })
  served.server.on('request', () => {
    if (++arrived % REQUESTS === 0) setImmediate(allArrived.resolve)
  })

  for (const status of [502, 200]) {
    allArrived = Promise.withResolvers()
    const wires = Array.from({ length: REQUESTS }, () => wireTo(served, 'GET /v1/pets HTTP/1.1\r\nHost: a\r\n\r\n'))
    const responses = await Promise.all(wires.map(async (wire) => (await wire).response()))
    expect(responses.map((response) => response.status)).toEqual(wires.map(() => status))
  }

  expect(most).toBe(16)
})
