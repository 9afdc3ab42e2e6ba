import { expect, test } from 'vitest'
import { send } from '../../support/http.ts'
import { outcomeOf, start } from './command.ts'
import { exchange } from './wire.ts'

const KEY = 'pet_local_forDevelopmentOnOneMachineOnly002lJW3V'

test('says where it is, with which key, and how to try it', async () => {
  const server = await start()

  expect(server.output()).toMatch(
    new RegExp(
      `^\\n  Base address  ${server.baseUrl}\\n  API key       ${KEY}\\n` +
        `  Database      http://127\\.0\\.0\\.1:\\d+ \\(in memory\\)\\n` +
        `  Reference     ${server.baseUrl}/docs\\n` +
        `  Try it        curl ${server.baseUrl}/pets -H 'Authorization: Bearer ${KEY}'\\n\\n$`,
    ),
  )
  expect(server.baseUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/v1$/)
})

test('serves with the key that it prints', async () => {
  const { baseUrl, apiKey } = await start()

  const { status, body } = await send(baseUrl, { path: '/pets', headers: { Authorization: `Bearer ${apiKey}` } })

  expect([status, body]).toEqual([200, []])
})

test('serves on the address that it is told', async () => {
  const { baseUrl } = await start(['--host', 'localhost'])

  const { status } = await send(baseUrl, { path: '/pets' })

  expect([baseUrl, status]).toEqual([expect.stringMatching(/^http:\/\/localhost:\d+\/v1$/), 401])
})

test('prints one line for each request, whoever answers it', async () => {
  const server = await start()
  const header = server.output()

  await send(server.baseUrl, { path: '/pets', headers: { Authorization: `Bearer ${server.apiKey}` } })
  await send(server.baseUrl, { path: '/cats?colour=black' })
  await send(server.baseUrl, { method: 'OPTIONS', path: '/pets' })
  await exchange({ port: Number(new URL(server.baseUrl).port) }, 'Hello\r\n\r\n')

  const lines = () => server.output().slice(header.length).trimEnd().split('\n')
  await expect.poll(lines, { timeout: 30_000 }).toHaveLength(4)
  expect(lines()).toEqual([
    expect.stringMatching(
      /^\{ requestId: '[\w-]{15}=', operation: 'listPets', version: '\$LATEST', status: 200, .*\}$/,
    ),
    expect.stringMatching(/^\{ requestId: '[\w-]{15}=', method: 'GET', path: '\/v1\/cats', status: 404 \}$/),
    expect.stringMatching(/^\{ requestId: '[\w-]{15}=', method: 'OPTIONS', path: '\/v1\/pets', status: 204 \}$/),
    expect.stringMatching(/^\{ requestId: '[\w-]{15}=', status: 400 \}$/),
  ])
})

test('explains itself', async () => {
  const outcome = await outcomeOf(['--help'])

  expect(outcome).toEqual({
    code: 0,
    stdout: expect.stringMatching(
      /^Serves the Pet Store API[\s\S]+--port[\s\S]+--host[\s\S]+--data[\s\S]+AWS_ENDPOINT_URL_DYNAMODB/,
    ),
    stderr: '',
  })
})
