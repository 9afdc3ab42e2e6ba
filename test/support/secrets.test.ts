import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { gatewayResponses } from '../../infra/gateway.ts'
import { LOCAL_API_KEY } from '../../infra/local/announcement.ts'
import { newApiKey } from '../../shared/model/api-key.ts'
import { call } from '../functions/call.ts'
import { startCommand } from '../infra/keys/run-command.ts'
import './database.ts'
import { outputFolder } from './captured-output.ts'
import { eventOf } from './events.ts'
import { setup, teardown } from './global-setup.ts'
import { send } from './http.ts'
import { exampleCredentials, internalsIn, refuseInternals, refusePrintedSecrets, secretsIn } from './secrets.ts'
import { startServer } from './server.ts'

const KEY = newApiKey('live')
const { AWS_ACCESS_KEY_ID: id, AWS_SECRET_ACCESS_KEY: secret, AWS_SESSION_TOKEN: token } = exampleCredentials
const AUTHORIZATION = 'the value of Authorization'

describe('a search for secrets finds', () => {
  test.each([
    ['a production key', KEY, 'an API key'],
    ['a staging key', `No item ${newApiKey('test')}.`, 'an API key'],
    ['a local key', newApiKey('local'), 'an API key'],
    ['a mistyped key', KEY.toLowerCase(), 'an API key'],
    ['half a key', KEY.slice(0, 24), 'an API key'],
    ['a header in an object', "{ Host: 'a', authorization: 'x' }", AUTHORIZATION],
    ['a header with several values', "Authorization: [ 'x', 'y' ]", AUTHORIZATION],
    ['a header with one value a line', 'Authorization: [\n    x,', AUTHORIZATION],
    ['a header in JSON', '{"Authorization":"x"}', AUTHORIZATION],
    ['a header in JSON within JSON', '"{\\"Authorization\\":\\"x\\"}"', AUTHORIZATION],
    ['a header in a list', "[ 'Authorization', 'x' ]", AUTHORIZATION],
    ['a header of a request', 'GET / HTTP/1.1\r\nauthorization: x', AUTHORIZATION],
    ['the signature of a request to AWS', 'Authorization: AWS4-HMAC-SHA256 x', AUTHORIZATION],
    ['a token', '[ bearer x ]', 'a bearer token'],
    ['a name and a password', 'Basic dXNlcjpwYXNz', 'a name and a password'],
    ['an access key', `${id}`, 'AWS credentials'],
    ['a temporary access key', 'ASIAIOSFODNN7ABCDEFG', 'AWS credentials'],
    ['the secret access key of the tests', secret, 'AWS credentials'],
    ['the session token of the tests', token, 'AWS credentials'],
    ['a secret access key in an environment', "AWS_SECRET_ACCESS_KEY: 'x'", 'AWS credentials'],
    ['a secret access key as the SDK names it', '{"secretAccessKey":"x"}', 'AWS credentials'],
    ['a session token as the SDK names it', 'sessionToken: x', 'AWS credentials'],
    ['a session token in a header', "'x-amz-security-token': 'x'", 'AWS credentials'],
  ])('%s', (_, printed, kind) => {
    const places = secretsIn(`Before\n${printed}\nAfter`)

    expect(places).toContainEqual(expect.stringMatching(new RegExp(`^line [23]: ${kind}$`)))
    expect(places.join()).not.toContain(printed)
  })

  test.each([
    'Send it as: Authorization: Bearer <API_KEY>',
    'WWW-Authenticate: Bearer realm="pet-store", error="invalid_token"',
    "'Access-Control-Allow-Headers': 'Authorization, Content-Type, Idempotency-Key'",
    'Sign in, or set AWS_PROFILE, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.',
    "{ requestId: '0JEqJbDazu-fNK8=', keyId: 'key_0123456789abcdef', clientId: 'client_0123456789abcdef' }",
    "{ requestId: '0JEqJbDazu-fNK8=', method: 'GET', path: '/v1/pet_live_…', status: 404 }",
  ])('nothing in: %s', (printed) => {
    expect(secretsIn(printed)).toEqual([])
  })
})

describe('a test fails when a response reveals', () => {
  test.each([
    ['a key', `The key ${KEY} is unknown.`, 'an API key'],
    ['a stack trace', new Error('Bug').stack, 'a stack trace'],
    ['a stack trace in JSON', JSON.stringify({ stack: new Error('Bug').stack }), 'a stack trace'],
    ['a stack trace of one line', 'Error: Bug at list (index.js:1:2)', 'a stack trace'],
    ['a file of ours', 'Cannot find shared/data/pets.ts', 'the path of a file'],
    ['a file of a dependency', '/var/task/node_modules/@middy/core/index.js', 'the path of a file'],
    ['a table', 'Requested resource not found: Table: PetStoreLocal-Pets', 'the name of a table'],
    ['an exception', 'ResourceNotFoundException', 'an error of the database'],
    ['a refused connection', 'connect ECONNREFUSED 127.0.0.1:4567', 'an error of the database'],
    ['a digest', 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad', 'a digest'],
  ])('%s', (_, text, kind) => {
    expect(internalsIn(`${text}`)).toContain(kind)
  })

  test('something in a header', () => {
    const response = { status: 500, headers: { 'x-error': 'ValidationException' }, text: '{}' }

    expect(() => refuseInternals(response)).toThrow('A response with status 500 contains an error of the database.')
  })

  test('something, when a function is called directly', async () => {
    const event = eventOf('createPet-created', { body: '{"name":"shared/data/pets.ts","categoryId":7}' })

    await expect(call(event)).rejects.toThrow('A response with status 201 contains the path of a file.')
  })

  test('something, over HTTP', async () => {
    const server = createServer((_, response) => response.end('"shared/data/pets.ts"')).listen(0, '127.0.0.1')
    onTestFinished(() => void server.close())
    await vi.waitUntil(() => server.listening)

    const { port } = Object(server.address())
    await expect(send(`http://127.0.0.1:${port}`, {})).rejects.toThrow('contains the path of a file.')
  })

  test('nothing in the documented error responses', () => {
    const { methodNotAllowed, ...others } = gatewayResponses
    const bodies = [methodNotAllowed(['GET']), ...Object.values(others)].map(({ body }) => JSON.stringify(body))

    expect(bodies.flatMap(internalsIn)).toEqual([])
  })
})

describe('the output of a test run includes', () => {
  /** What was captured from the sources whose names end so. */
  const captured = (source: string): string =>
    readdirSync(outputFolder())
      .filter((file) => decodeURIComponent(file).endsWith(source))
      .map((file) => readFileSync(join(outputFolder(), file), 'utf8'))
      .join()
  const CONSOLE = 'the console of test/support/secrets.test.ts'

  test('what a function logs, although tests silence it', async () => {
    const event = eventOf('getPet-unknown-id')

    await call(event)

    expect(captured(CONSOLE)).toContain(`requestId: '${event.requestContext.extendedRequestId}', operation: 'getPet'`)
  })

  test('what a terminal omits of an error', () => {
    console.error(new Error('Outer', { cause: { first: { second: { third: { fourth: 'deep' } } } } }))

    expect(captured(CONSOLE)).toContain("fourth: 'deep'")
  })

  test('what the local server prints', async () => {
    const server = await startServer()
    await send(server.baseUrl, { path: '/pets' })
    await server.stop()

    const lines = captured(`node infra/local/main.ts, stdout of process ${server.process.pid}`)
    expect(lines).toContain(`Base address  ${server.baseUrl}`)
    expect(lines).toContain("operation: 'listPets'")
  })

  test('what a command prints, and Node.js itself when the command crashes', async () => {
    const refusal = startCommand('keys', ['delete'])
    const crash = startCommand('keys', ['list', '--stage', 'local'], { NODE_OPTIONS: '--import data:x' })
    await Promise.all([refusal.exited, crash.exited])

    expect(captured(`infra/keys/main.ts, stderr of process ${refusal.child.pid}`)).toContain('"delete"')
    expect(captured(`stderr of process ${crash.child.pid}`)).toContain('Error')
  })

  test('what bypasses the console of a test process', async () => {
    const mark = '\u2063' // Invisible in the report.

    process.stdout.write(mark)

    await expect.poll(() => captured(`stdout of process ${process.pid}`)).toContain(mark)
  })
})

describe('a test run in which a secret is printed', () => {
  const KEYS = 'node infra/keys/main.ts, stdout of process 1'
  const SERVER = 'node infra/local/main.ts, stdout of process 2'
  const CONSOLE = 'the console of test/functions/getPet.test.ts'
  const key = newApiKey('local')
  const forPeople = `API key  ${key}\nKey      key_1\n`
  const forScripts = `{\n  "key": "${key}",\n  "keyId": "key_1"\n}\n`
  const banner = `
  Base address  http://127.0.0.1:3000/v1
  API key       ${LOCAL_API_KEY}
  Try it        curl http://127.0.0.1:3000/v1/pets -H 'Authorization: Bearer ${LOCAL_API_KEY}'

{ operation: 'listPets', status: 200 }
`
  const folderWith = (source: string, text: string): string => {
    const folder = mkdtempSync(join(tmpdir(), 'printed-'))
    writeFileSync(join(folder, encodeURIComponent(source)), text)
    return folder
  }

  test.each([
    ['a new key is shown once to a person', KEYS, forPeople],
    ['a new key is shown once to a script', KEYS, forScripts],
    ['the local server shows the documented key at its start', SERVER, banner],
  ])('passes when %s', (_, source, text) => {
    expect(() => refusePrintedSecrets(folderWith(source, text))).not.toThrow()
  })

  test.each([
    ['a new key is shown twice', KEYS, forPeople + forPeople, 'line 3: an API key'],
    ['a new key is part of other text', KEYS, `Stored ${forPeople}`, 'line 1: an API key'],
    ['a new key is among the errors', KEYS.replace('out', 'err'), forPeople, 'line 1: an API key'],
    ['the local server shows another key', SERVER, banner.replace(LOCAL_API_KEY, key), 'line 3: an API key'],
    ['the local server logs the documented key', SERVER, banner + LOCAL_API_KEY, 'line 7: an API key'],
    ['a function logs a key', CONSOLE, `a\n${LOCAL_API_KEY}`, 'line 2: an API key'],
  ])('fails with the place when %s', (_, source, text, place) => {
    const folder = folderWith(source, text)

    const expected = `Secrets were printed. Outputs in ${folder}:\n  ${source}, ${place}`
    expect(() => refusePrintedSecrets(folder)).toThrow(new Error(expected))
  })

  test('fails when its output is missing', () => {
    expect(() => refusePrintedSecrets(join(tmpdir(), 'nowhere'))).toThrow('ENOENT')
  })

  test('fails at its end', () => {
    vi.stubEnv('TMPDIR', process.env.TMPDIR)
    onTestFinished(() => void vi.unstubAllEnvs())
    setup()
    writeFileSync(join(outputFolder(), 'server'), 'Authorization: Bearer x')

    expect(teardown).toThrow('server, line 1: a bearer token')
  })
})
