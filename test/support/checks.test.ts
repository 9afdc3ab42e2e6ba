import { spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { expect, test } from 'vitest'
import { openApiText } from '../../infra/openapi/document.ts'
import { contract, type OperationId, operationIds } from '../../shared/contract.ts'
import { tableName } from '../../shared/data/tables.ts'
import { digestOf, newApiKey } from '../../shared/model/api-key.ts'
import type { Event } from '../../shared/pipeline/http.ts'
import { service } from '../../shared/service.ts'
import { call } from './call.ts'
import { differences } from './documented.ts'
import './database.ts'
import { eventOf } from './events.ts'
import { checked, example, has } from './example.ts'
import { runCommand } from './run-command.ts'
import {
  exampleCredentials,
  refuseInternals,
  refuseLoggedSecrets,
  refuseSecrets,
  withLocalKey,
} from './secrets.ts'
import { ready } from './server.ts'

const KEYS = 'infra/commands/keys.ts, stdout'
const OTHER = 'the console'
const newKey = `API key  ${newApiKey('local')}\n`
const { AWS_SECRET_ACCESS_KEY } = exampleCredentials

// Each run of the tests shows that allowed output passes.
test.each([
  ['a mistyped key', OTHER, newApiKey('local').toLowerCase(), 'line 1: an API key'],
  [
    'a header in an object',
    OTHER,
    "\n{ Host: 'a', authorization: 'x' }",
    'line 2: the value of Authorization',
  ],
  ['a token', OTHER, '[ bearer x ]', 'line 1: a bearer token'],
  ['the secret access key of the tests', OTHER, AWS_SECRET_ACCESS_KEY, 'line 1: AWS credentials'],
  ['a session token in a header', OTHER, "'x-amz-security-token': 'x'", 'line 1: AWS credentials'],
  ['a new key that is shown twice', KEYS, newKey + newKey, 'line 2: an API key'],
  ['a new key in other text', KEYS, `Stored ${newKey}`, 'line 1: an API key'],
])('output is refused with the place of %s', (_, source, text, place) => {
  expect(() => refuseSecrets(source, text)).toThrow(
    new Error(`Secrets were printed by ${source}: ${place}.`),
  )
})

test('a test fails when a command or a server prints a secret', async () => {
  const file = join(mkdtempSync(join(tmpdir(), 'printed-')), 'print')
  writeFileSync(`${file}.ts`, "console.error('Base address  a\\nAPI key  b\\nBearer x')")

  const server = await ready(spawn(process.execPath, [`${file}.ts`]))

  await expect(server.stop()).rejects.toThrow('line 3: a bearer token')
  await expect(runCommand(relative('infra', file), [])).rejects.toThrow('line 3: a bearer token')
})

test('a test fails when something logs a secret', () => {
  const lines = [[{ a: { b: { c: { d: ['Bearer x'] } } } }], ['%s', 'Bearer x']]

  for (const line of lines)
    expect(() => refuseLoggedSecrets([['a'], line])).toThrow('a bearer token')
})

test.each([
  ['a stack trace', JSON.stringify({ stack: new Error('Bug').stack }), 'a stack trace'],
  [
    'a table',
    `Requested resource not found: Table: ${tableName(example.table)}`,
    'the name of a table',
  ],
  ['an exception', 'ResourceNotFoundException', 'an error of the database'],
  ['a digest', digestOf('a'), 'a digest'],
])('a response must not contain %s', (_, text, kind) => {
  expect(() => refuseInternals({ status: 500, headers: { 'x-error': text }, text: '' })).toThrow(
    kind,
  )
})

test('a test fails when a function returns internals', async () => {
  const event = eventOf(example.events.create, {
    body: JSON.stringify(example.body('shared/data/toys.ts')),
  })

  await expect(call(event)).rejects.toThrow(
    'A response with status 201 contains the path of a file.',
  )
})

test.each([
  [{ create: 'addToy' }, `the operation addToy, but there is only ${operationIds.join(', ')}.`],
  [{ remove: { operation: 'deleteToy' } }, 'the operation deleteToy, but there is only '],
  [{ text: 'motto' }, 'the field motto, but there is only id, '],
  [{ filter: { field: 'motto' } }, 'the filter motto, but there is only '],
  [{ table: 'toys' }, 'the table toys, but there is only '],
])('an example with %o is refused with one sentence', (wrong, message) => {
  const changed: typeof example = Object.assign({}, example, wrong)

  expect(() => checked(changed)).toThrow(`test/support/example.ts names ${message}`)
})

const document = JSON.parse(openApiText())
const body = example.resource(1)
const { path } = example
const common = { 'access-control-allow-origin': '*', 'x-request-id': 'a' }
const headers = {
  ...common,
  'content-type': 'application/json',
  etag: '"1"',
  location: `${service.basePath}${path}/1`,
}
const created = { status: 201, headers, text: JSON.stringify(body), body }
const create = { method: 'POST', path: `${path}/?a=/b` }

test.each([
  [create, created, []],
  [create, { ...created, status: 202 }, ['The status 202 is not documented.']],
  [
    create,
    { ...created, headers: { ...headers, location: undefined } },
    ['The header Location is missing.'],
  ],
  [
    create,
    { ...created, headers: { ...headers, location: 'a' } },
    ['Location: # String does not match pattern.'],
  ],
  [create, { ...created, body: 7 }, ['# Instance type "number" is invalid. Expected "object".']],
  [
    { method: 'DELETE', path: `${path}/1` },
    { ...created, status: 204 },
    has.remove ? ['A body is not documented.'] : [],
  ],
])('finds how the response to %o differs from the document', (request, response, expected) => {
  expect(differences(document, request, response as typeof created)).toEqual(expected)
})

const keysOf = (event: Event) =>
  [event, event.requestContext, event.requestContext.identity].map((part) =>
    Object.keys(part).sort(),
  )

test.each(readdirSync('test/events'))('%s is an event as API Gateway sends it', (file) => {
  const stored: Event = JSON.parse(withLocalKey(readFileSync(`test/events/${file}`, 'utf8')))
  const event = eventOf(file.replace('.json', ''))
  const { requestContext: context, headers, path } = event
  const [id = ''] = file.split('-') // The name of a file starts with an operation.
  const { method, path: resource } = contract[id as OperationId]
  const host = headers.Host ?? headers.host
  const template = resource.split('/')
  const values = path.split('/').slice(-template.length)
  const parameters = template.flatMap((part, i) =>
    part.startsWith('{') ? [[part.slice(1, -1), values[i]]] : [],
  )
  const stage = host?.includes('.execute-api.') ? service.basePath : ''

  // `eventOf` makes each map of single values from that of all values.
  expect(stored).toEqual(event)
  // All events have the same keys.
  expect(keysOf(stored)).toEqual(keysOf(eventOf(example.events.list)))
  expect(event).toMatchObject({ httpMethod: method, resource })
  expect(event.pathParameters).toEqual(parameters[0] ? Object.fromEntries(parameters) : null)
  expect(context).toMatchObject({
    httpMethod: method,
    resourcePath: resource,
    domainName: host,
    path: stage + path,
  })
})
