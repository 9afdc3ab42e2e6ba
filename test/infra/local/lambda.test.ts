import { expect, test } from 'vitest'
import type { Handler } from '../../../infra/local/lambda.ts'
import { ask, commonHeaders, gatewayAnswer, serve } from './front.ts'

const badGateway = gatewayAnswer(
  502,
  'bad_gateway',
  'Something went wrong on our side. Report it with the X-Request-Id.',
)

test("answers with a function's status, headers and body, and with nothing else", async () => {
  const listPets: Handler = async () => ({ statusCode: 207, headers: { 'X-Cat': 'Mia' }, body: '[1]' })
  const front = await serve({ listPets })

  const answer = await ask(front, { path: '/v1/pets' })

  expect(answer).toEqual({ status: 207, headers: { 'x-cat': 'Mia' }, body: [1] })
})

test('answers with an empty body where a function returns none', async () => {
  const front = await serve({ listPets: async () => ({ statusCode: 204 }) })

  const answer = await ask(front, { path: '/v1/pets' })

  expect(answer).toEqual({ status: 204, headers: {}, body: undefined })
})

test.each<[string, Handler]>([
  ['rejects', () => Promise.reject(new Error('A bug.'))],
  ['rejects with nothing', () => Promise.reject()],
  [
    'throws',
    () => {
      throw new Error('A bug.')
    },
  ],
])('answers 502 when a function %s, and lives on', async (_name, listPets) => {
  const front = await serve({ listPets })

  const answers = [await ask(front, { path: '/v1/pets' }), await ask(front, { path: '/v1/pets/7' })]

  expect(answers).toEqual([
    badGateway,
    { status: 200, headers: { 'content-type': commonHeaders['content-type'] }, body: [] },
  ])
})

test.each([
  ['undefined', undefined],
  ['null', null],
  ['a string', '{"statusCode":200}'],
  ['no status code', { body: '[]' }],
  ['a status code in text', { statusCode: '200', body: '[]' }],
  ['a status code that is none', { statusCode: 99, body: '[]' }],
  ['half a status code', { statusCode: 200.5, body: '[]' }],
  ['a body that is an object', { statusCode: 200, body: {} }],
  ['a body that is a number', { statusCode: 200, body: 1 }],
  ['headers in text', { statusCode: 200, headers: 'X-Cat: Mia', body: '[]' }],
  ['a header with a line break', { statusCode: 200, headers: { 'X-Cat': 'Mia\r\nX-Dog: Rex' }, body: '[]' }],
  ['a header without a value', { statusCode: 200, headers: { 'X-Cat': undefined }, body: '[]' }],
  ['a header with a space in its name', { statusCode: 200, headers: { 'X Cat': 'Mia' }, body: '[]' }],
])('answers 502 when a function returns %s', async (_name, result) => {
  const front = await serve({ listPets: async () => result })

  const answer = await ask(front, { path: '/v1/pets' })

  expect(answer).toEqual(badGateway)
})

test('answers 504 when a function takes too long', async () => {
  const front = await serve({ listPets: () => new Promise(() => {}) }, { timeoutMs: 1 })

  const answer = await ask(front, { path: '/v1/pets' })

  expect(answer).toEqual(
    gatewayAnswer(504, 'gateway_timeout', 'The service did not answer in time. Try again in a moment.', {
      'retry-after': '1',
    }),
  )
})
