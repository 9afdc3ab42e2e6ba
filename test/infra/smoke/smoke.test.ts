import { expect, test } from 'vitest'
import { send } from '../../support/http.ts'
import { env, server, storedItems } from '../keys/local-stage.ts'
import { failure, runCommand } from '../keys/run-command.ts'

test('finds all well, leaves a pet, and no key', async () => {
  const before = await storedItems()

  const { code, stdout, stderr } = await runCommand('smoke', ['--stage', 'local'], env)

  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  const [head = '', ...lines] = stdout.trimEnd().split('\n')
  const [, keyId = ''] = /(key_\w+)$/.exec(head) ?? []
  const [, name = ''] = /"(Smoke test of .+?)"/.exec(stdout) ?? []
  expect(head).toBe(`${server.baseUrl}, with the key ${keyId}`)
  expect(lines.map((line) => line.replace(/\d{13,}/, '<id>'))).toEqual([
    '✓ GET /pets?limit=1: 200, an array',
    `✓ POST /pets with "${name}": 201, the pet with its id, the header Location`,
    '✓ POST /pets again, with the same Idempotency-Key: 201, the same pet, the header Idempotent-Replayed',
    '✓ GET /pets/<id>: 200, the pet',
    '✓ GET /pets?status=sold&limit=100: 200, the pet among others',
    '✓ POST /pets with a wrong body: 400, the Error body of bad_request',
    '✓ GET /pets without a key: 401, the Error body of unauthorized, the header WWW-Authenticate or x-amzn-Remapped-WWW-Authenticate',
    '✓ GET /pets with an unknown key: 401, the Error body of unauthorized, the header WWW-Authenticate or x-amzn-Remapped-WWW-Authenticate',
    '✓ GET /pets/1: 404, the Error body of not_found',
    '✓ GET /smoke-test: 404, the Error body of not_found',
    '✓ GET /pets/1/smoke-test: 404, the Error body of not_found',
    '✓ DELETE /pets: 405, the Error body of method_not_allowed, the header Allow',
    'What was added stays in the catalogue: the API has no operation that deletes a pet.',
    `The key ${keyId} is revoked.`,
  ])
  expect(await storedItems()).toEqual(before)
  const listed = await send(server.baseUrl, { path: '/pets', headers: { Authorization: `Bearer ${server.apiKey}` } })
  expect(listed.body).toEqual([expect.objectContaining({ name })])
})

test.each([
  [[], 'Say which stage with --stage: staging, production or local.'],
  [
    ['--stage', 'local', '--wait', '1'],
    '--wait takes 1 to 99999 seconds, minutes, hours or days, such as 30s, 15m, 24h or 90d.',
  ],
  [['--stage', 'local', '--base-url', 'x'], '--base-url takes an address, such as https://api.example.com/v1.'],
  [['--stage', 'local', 'x'], "Unexpected argument 'x'. See npm run smoke -- --help"],
])('refuses %j in one line', async (args, line) => {
  expect(await runCommand('smoke', args, env)).toEqual(failure(line))
})

test('prints its help', async () => {
  expect(await runCommand('smoke', ['--help'])).toMatchObject({ code: 0, stdout: expect.stringContaining('--stage') })
})
