import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { LOCAL_API_KEY } from '../../infra/local/credentials.ts'
import { newApiKey } from '../../shared/model/api-key.ts'
import { startCommand } from '../infra/keys/run-command.ts'
import { call } from './call.ts'
import './database.ts'
import { outputFolder } from './captured-output.ts'
import { eventOf } from './events.ts'
import { exampleCredentials, refuseInternals, refusePrintedSecrets, secretsIn } from './secrets.ts'

const KEY = newApiKey('live')
const AUTHORIZATION = 'the value of Authorization'

test.each([
  ['a production key', KEY, 'an API key'],
  ['a mistyped local key', newApiKey('local').toLowerCase(), 'an API key'],
  ['a header in an object', "{ Host: 'a', authorization: 'x' }", AUTHORIZATION],
  ['a token', '[ bearer x ]', 'a bearer token'],
  ['a temporary access key', 'ASIAIOSFODNN7ABCDEFG', 'AWS credentials'],
  ['the secret access key of the tests', exampleCredentials.AWS_SECRET_ACCESS_KEY, 'AWS credentials'],
  ['a session token in a header', "'x-amz-security-token': 'x'", 'AWS credentials'],
])('finds %s', (_, printed, kind) => {
  const places = secretsIn(`Before\n${printed}\nAfter`)

  expect(places).toContainEqual(expect.stringMatching(new RegExp(`^line [23]: ${kind}$`)))
  expect(places.join()).not.toContain(printed)
})

test.each([
  ['a key', `The key ${KEY} is unknown.`, 'an API key'],
  ['a stack trace', JSON.stringify({ stack: new Error('Bug').stack }), 'a stack trace'],
  ['a table', 'Requested resource not found: Table: PetStoreLocal-Pets', 'the name of a table'],
  ['an exception', 'ResourceNotFoundException', 'an error of the database'],
  ['a digest', 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad', 'a digest'],
])('a response must not contain %s', (_, text, kind) => {
  expect(() => refuseInternals({ status: 500, headers: {}, text })).toThrow(`status 500 contains ${kind}`)
  expect(() => refuseInternals({ status: 500, headers: { 'x-error': text }, text: '' })).toThrow(kind)
})

test('a test fails when a function returns internals', async () => {
  const event = eventOf('createPet-created', { body: '{"name":"shared/data/pets.ts","categoryId":7}' })

  await expect(call(event)).rejects.toThrow('A response with status 201 contains the path of a file.')
})

test('the output of a run includes what silenced functions log, all of an error, and what commands print', async () => {
  const event = eventOf('deletePet-deleted')

  await call(event)
  console.error(new Error('Outer', { cause: { first: { second: { third: { fourth: 'deep' } } } } }))
  const { child, exited } = startCommand('keys', ['delete'])
  await exited

  const output = outputOf('the console of test/support/secrets.test.ts')
  expect(output).toContain(`requestId: '${event.requestContext.extendedRequestId}', operation: 'deletePet'`)
  expect(output).toContain("fourth: 'deep'")
  expect(outputOf(`infra/keys/main.ts, stderr of process ${child.pid}`)).toContain("required option '--stage <stage>'")
})

/** What was captured from the sources whose names end so. */
const outputOf = (source: string): string =>
  readdirSync(outputFolder())
    .filter((file) => decodeURIComponent(file).endsWith(source))
    .map((file) => readFileSync(join(outputFolder(), file), 'utf8'))
    .join()

describe('a test run in which a secret is printed', () => {
  const KEYS = 'node infra/keys/main.ts, stdout of process 1'
  const SERVER = 'node infra/local/main.ts, stdout of process 2'
  const CONSOLE = 'the console of test/functions/createPet.test.ts'
  const key = newApiKey('local')
  const forPeople = `API key  ${key}\nKey      key_1\n`
  const banner = `  API key       ${LOCAL_API_KEY}\n{"method":"GET","path":"/v1/pets","status":200}\n`

  // Each run of the tests shows that allowed output passes.
  test.each([
    ['a new key is shown twice', KEYS, forPeople + forPeople, 'line 3: an API key'],
    ['a new key is part of other text', KEYS, `Stored ${forPeople}`, 'line 1: an API key'],
    ['the local server logs the documented key', SERVER, banner + LOCAL_API_KEY, 'line 3: an API key'],
    ['a function logs a key', CONSOLE, `a\n${LOCAL_API_KEY}`, 'line 2: an API key'],
  ])('fails with the place when %s', (_, source, text, place) => {
    const folder = mkdtempSync(join(tmpdir(), 'printed-'))
    writeFileSync(join(folder, encodeURIComponent(source)), text)

    const expected = `Secrets were printed. Outputs in ${folder}:\n  ${source}, ${place}`
    expect(() => refusePrintedSecrets(folder)).toThrow(new Error(expected))
  })
})
