import { expect, test } from 'vitest'
import type { Handler } from '../../../../infra/local/gateway/lambda.ts'
import type { OperationId } from '../../../../shared/contract.ts'
import { ask, BASE, commonHeaders, gatewayResponse, NEVER, serve } from '../local-server.ts'

const json = { 'content-type': commonHeaders['content-type'] }

test.each<[string, object, object]>([
  [
    'status, headers and body',
    { statusCode: 207, headers: { 'X-A': 'a' }, body: '[1]' },
    { status: 207, headers: { 'x-a': 'a' }, body: [1] },
  ],
  ['empty body', { statusCode: 204 }, { status: 204, headers: {}, body: undefined }],
])("returns a function's %s, and nothing else", async (_name, result, expected) => {
  const served = await serve({ listPets: async () => result })

  expect(await ask(served)).toEqual(expected)
})

const withHeaders = (headers: object) => async () => ({ statusCode: 200, headers, body: '[]' })

test.each<[string, Handler]>([
  ['rejects', () => Promise.reject(new Error('A bug.'))],
  ['returns undefined', async () => undefined],
  ['returns a status code below 200', async () => ({ statusCode: 199, body: '[]' })],
  ['returns an object as body', async () => ({ statusCode: 404, body: {} })],
  ['returns a header with a line break', withHeaders({ 'X-A': 'a\r\nX-B: b' })],
  ['returns a header name with a space', withHeaders({ 'X A': 'a' })],
])('returns 502 when a function %s, and keeps running', async (_name, handler) => {
  const served = await serve({ listPets: handler })

  const responses = [await ask(served), await ask(served, { method: 'POST' })]

  const message =
    'Something went wrong on our side. Try again in a moment. If it happens again, report it with the X-Request-Id.'
  const badGateway = gatewayResponse(502, 'bad_gateway', message, { 'retry-after': '1' })
  expect(responses).toEqual([badGateway, { status: 200, headers: json, body: [] }])
})

test('returns 504 when a function does not respond in time', async () => {
  const served = await serve({ listPets: () => new Promise(() => {}) }, { functionMs: 1 })

  const message = 'The service did not respond in time. Try again in a moment.'
  expect(await ask(served)).toEqual(
    gatewayResponse(504, 'gateway_timeout', message, { 'retry-after': '1' }),
  )
})

test.each<[string, OperationId, { statusCode: number; headers?: object; body: string }]>([
  [
    'the body is not JSON',
    'listPets',
    { statusCode: 200, headers: { 'Content-Type': 'text/plain' }, body: 'text' },
  ],
  ['the status 202', 'listPets', { statusCode: 202, body: '[]' }],
  ['a body', 'deletePet', { statusCode: 204, body: '[]' }],
])(
  'passes on a response that the contract does not have, and warns: %s',
  async (difference, id, result) => {
    const served = await serve({ [id]: async () => result })
    const request = id === 'deletePet' ? { method: 'DELETE', path: `${BASE}/pets/7` } : {}

    const response = await ask(served, request)

    expect(response.status).toBe(result.statusCode)
    expect(console.warn).toHaveBeenCalledWith(expect.any(String), id, difference)
  },
)

test('passes a function its name and its remaining time', async () => {
  const echo: Handler = async (_event, { functionName, getRemainingTimeInMillis }) => ({
    statusCode: 200,
    body: JSON.stringify([functionName, getRemainingTimeInMillis()]),
  })

  const { body } = await ask(await serve({ listPets: echo }))

  expect(body).toEqual(['listPets', expect.closeTo(NEVER, -8)])
})
