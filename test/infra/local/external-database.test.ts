import { expect, onTestFinished, test } from 'vitest'
import { startEmbedded } from '../../../infra/local/embedded-database.ts'
import { send } from '../../support/http.ts'
import type { LocalServer } from '../../support/server.ts'
import { failure, outcomeOf, start } from './command.ts'

const serveExternal = async (): Promise<{ AWS_ENDPOINT_URL_DYNAMODB: string }> => {
  const database = await startEmbedded()
  onTestFinished(() => database.close())
  return { AWS_ENDPOINT_URL_DYNAMODB: database.endpoint }
}

const create = async ({ baseUrl, apiKey }: LocalServer): Promise<unknown> => {
  const headers = { Authorization: `Bearer ${apiKey}`, 'Content-Type': 'application/json' }
  const { body } = await send(baseUrl, {
    method: 'POST',
    path: '/pets',
    headers,
    body: '{"name":"Mia","categoryId":1}',
  })
  return body
}

const list = async ({ baseUrl, apiKey }: LocalServer): Promise<unknown> =>
  (await send(baseUrl, { path: '/pets', headers: { Authorization: `Bearer ${apiKey}` } })).body

test('makes its tables in the DynamoDB that AWS_ENDPOINT_URL_DYNAMODB names, and finds them there again', async () => {
  const environment = await serveExternal()

  const first = await start([], environment)
  const pet = await create(first)
  const code = await first.stop()
  const second = await start([], environment)

  expect([pet, code, await list(second)]).toEqual([{ id: expect.any(Number), name: 'Mia', categoryId: 1 }, 0, [pet]])
  expect(second.output()).toContain(`\n  Database      ${environment.AWS_ENDPOINT_URL_DYNAMODB}\n`)
})

test('shares it with other servers, which make the tables at the same time', async () => {
  const environment = await serveExternal()

  const [one, other] = await Promise.all([start([], environment), start([], environment)])
  const pet = await create(one)

  expect(await list(other)).toEqual([pet])
})

test('says in one line that nothing is at that address', async () => {
  const outcome = await outcomeOf(['--port', '0'], { AWS_ENDPOINT_URL_DYNAMODB: 'http://127.0.0.1:1' })

  expect(outcome).toEqual(
    failure('The DynamoDB at http://127.0.0.1:1 cannot be used: connect ECONNREFUSED 127.0.0.1:1'),
  )
})

test('says in one line that this is no address', async () => {
  const outcome = await outcomeOf(['--port', '0'], { AWS_ENDPOINT_URL_DYNAMODB: 'dynamodb' })

  expect(outcome).toEqual(failure('The DynamoDB at dynamodb cannot be used: Invalid URL'))
})

test.each([
  'https://dynamodb.eu-central-1.amazonaws.com',
  'https://dynamodb.cn-north-1.amazonaws.com.cn/',
  'https://DYNAMODB.us-east-1.AMAZONAWS.COM.:443?x',
  'https://dynamodb.us-east-1.api.aws',
  'https://dynamodb.eusc-de-east-1.amazonaws.eu',
])('refuses AWS itself: %s', async (endpoint) => {
  const outcome = await outcomeOf(['--port', '0'], { AWS_ENDPOINT_URL_DYNAMODB: endpoint })

  expect(outcome).toEqual(
    failure('AWS_ENDPOINT_URL_DYNAMODB must not be AWS itself: the local API key is known to everybody.'),
  )
})

test('is used whatever profile of AWS the person has', async () => {
  const external = await serveExternal()

  const server = await start([], { ...external, AWS_PROFILE: 'of-another-account' })

  expect(server.output()).toContain(external.AWS_ENDPOINT_URL_DYNAMODB)
})
