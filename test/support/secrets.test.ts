import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { LOCAL_API_KEY } from '../../infra/local/credentials.ts'
import { digestOf, newApiKey } from '../../shared/model/api-key.ts'
import { startCommand } from '../infra/keys/run-command.ts'
import { call } from './call.ts'
import './database.ts'
import { outputFolder } from './captured-output.ts'
import { eventOf } from './events.ts'
import { exampleCredentials, refuseInternals, refusePrintedSecrets, secretsIn } from './secrets.ts'

test.each([
  ['a mistyped key', newApiKey('local').toLowerCase(), 'an API key'],
  ['a header in an object', "{ Host: 'a', authorization: 'x' }", 'the value of Authorization'],
  ['a token', '[ bearer x ]', 'a bearer token'],
  ['the secret access key of the tests', exampleCredentials.AWS_SECRET_ACCESS_KEY, 'AWS credentials'],
  ['a session token in a header', "'x-amz-security-token': 'x'", 'AWS credentials'],
])('finds %s', (_, printed, kind) => {
  expect(secretsIn(`Before\n${printed}\nAfter`)).toContain(`line 2: ${kind}`)
})

test.each([
  ['a stack trace', JSON.stringify({ stack: new Error('Bug').stack }), 'a stack trace'],
  ['a table', 'Requested resource not found: Table: PetStoreLocal-Pets', 'the name of a table'],
  ['an exception', 'ResourceNotFoundException', 'an error of the database'],
  ['a digest', digestOf('a'), 'a digest'],
])('a response must not contain %s', (_, text, kind) => {
  expect(() => refuseInternals({ status: 500, headers: { 'x-error': text }, text: '' })).toThrow(kind)
})

test('a test fails when a function returns internals', async () => {
  const event = eventOf('createPet-created', { body: '{"name":"shared/data/pets.ts","categoryId":7}' })

  await expect(call(event)).rejects.toThrow('A response with status 201 contains the path of a file.')
})

test('the output of a run includes what silenced functions log, and what commands print', async () => {
  const event = eventOf('deletePet-deleted')

  await call(event)
  const { child, exited } = startCommand('keys', ['delete'])
  await exited

  const outputs = readdirSync(outputFolder()).map((file) => [
    decodeURIComponent(file),
    readFileSync(join(outputFolder(), file), 'utf8'),
  ])
  expect(Object.fromEntries(outputs)).toMatchObject({
    'the console of test/support/secrets.test.ts': expect.stringContaining("operation: 'deletePet'"),
    [`node infra/keys/main.ts, stderr of process ${child.pid}`]: expect.stringContaining('required option'),
  })
})

const KEYS = 'node infra/keys/main.ts, stdout of process 1'
const SERVER = 'node infra/local/main.ts, stdout of process 2'
const key = `API key  ${newApiKey('local')}\n`

// Each run of the tests shows that allowed output passes.
test.each([
  ['a new key is shown twice', KEYS, key + key, 'line 2: an API key'],
  ['a new key is part of other text', KEYS, `Stored ${key}`, 'line 1: an API key'],
  ['the local server logs its key', SERVER, `  API key       ${LOCAL_API_KEY}\n${LOCAL_API_KEY}`, 'line 2: an API key'],
])('a test run fails with the place when %s', (_, source, text, place) => {
  const folder = mkdtempSync(join(tmpdir(), 'printed-'))
  writeFileSync(join(folder, encodeURIComponent(source)), text)

  const expected = `Secrets were printed. Outputs in ${folder}:\n  ${source}, ${place}`
  expect(() => refusePrintedSecrets(folder)).toThrow(new Error(expected))
})
