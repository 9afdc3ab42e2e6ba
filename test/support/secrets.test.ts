import { describe, expect, test } from 'vitest'
import { gatewayResponses } from '../../infra/gateway.ts'
import { newApiKey } from '../../shared/model/api-key.ts'
import { exampleCredentials } from './example-credentials.ts'
import { refuseInternals } from './refuse-internals.ts'
import { internalsIn, secretsIn } from './secrets.ts'

const KEY = newApiKey('live')
const { AWS_ACCESS_KEY_ID: id, AWS_SECRET_ACCESS_KEY: secret, AWS_SESSION_TOKEN: token } = exampleCredentials
const AUTHORIZATION = 'the value of Authorization'

describe('is found in what was printed', () => {
  test.each([
    ['a key of production', KEY, 'an API key'],
    ['a key of staging', `No item ${newApiKey('test')}.`, 'an API key'],
    ['a local key', newApiKey('local'), 'an API key'],
    ['a key that was mistyped', KEY.toLowerCase(), 'an API key'],
    ['half a key', KEY.slice(0, 24), 'an API key'],
    ['a header in an object', "{ Host: 'a', authorization: 'x' }", AUTHORIZATION],
    ['a header of several values', "Authorization: [ 'x', 'y' ]", AUTHORIZATION],
    ['a header of several values, a line each', 'Authorization: [\n    x,', AUTHORIZATION],
    ['a header in JSON', '{"Authorization":"x"}', AUTHORIZATION],
    ['a header in JSON within JSON', '"{\\"Authorization\\":\\"x\\"}"', AUTHORIZATION],
    ['a header in a list', "[ 'Authorization', 'x' ]", AUTHORIZATION],
    ['a header of a request', 'GET / HTTP/1.1\r\nauthorization: x', AUTHORIZATION],
    ['the signature of a request to AWS', 'Authorization: AWS4-HMAC-SHA256 x', AUTHORIZATION],
    ['a token', '[ bearer x ]', 'a bearer token'],
    ['a name and a password', 'Basic dXNlcjpwYXNz', 'a name and a password'],
    ['an access key', `${id}`, 'AWS credentials'],
    ['a temporary access key', 'ASIAIOSFODNN7ABCDEFG', 'AWS credentials'],
    ['a secret of the tests', secret, 'AWS credentials'],
    ['a session token of the tests', token, 'AWS credentials'],
    ['any secret in an environment', "AWS_SECRET_ACCESS_KEY: 'x'", 'AWS credentials'],
    ['any secret as the SDK names it', '{"secretAccessKey":"x"}', 'AWS credentials'],
    ['any session token', 'sessionToken: x', 'AWS credentials'],
    ['any session token that was sent', "'x-amz-security-token': 'x'", 'AWS credentials'],
  ])('%s', (_, printed, kind) => {
    const places = secretsIn(`Before\n${printed}\nAfter`)

    expect(places).toContainEqual(expect.stringMatching(new RegExp(`^line [23]: ${kind}$`)))
    expect(places.join()).not.toContain(printed)
  })
})

test.each([
  'Send it as: Authorization: Bearer <API_KEY>',
  'WWW-Authenticate: Bearer realm="pet-store", error="invalid_token"',
  "'Access-Control-Allow-Headers': 'Authorization, Content-Type, Idempotency-Key'",
  'Sign in, or set AWS_PROFILE, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.',
  "{ requestId: '0JEqJbDazu-fNK8=', keyId: 'key_0123456789abcdef', clientId: 'client_0123456789abcdef' }",
  "{ requestId: '0JEqJbDazu-fNK8=', method: 'GET', path: '/v1/pet_live_…', status: 404 }",
])('nothing is found in %s', (printed) => {
  expect(secretsIn(printed)).toEqual([])
})

describe('is found in an answer', () => {
  test.each([
    ['a key', `The key ${KEY} is unknown.`, 'an API key'],
    ['a stack trace', new Error('Bug').stack, 'a stack trace'],
    ['a stack trace in JSON', JSON.stringify({ stack: new Error('Bug').stack }), 'a stack trace'],
    ['a stack trace of one line', 'Error: Bug at list (index.js:1:2)', 'a stack trace'],
    ['a file of ours', 'Cannot find shared/data/pets.ts', 'the path of a file'],
    ['a file of a dependency', '/var/task/node_modules/@middy/core/index.js', 'the path of a file'],
    ['a table', 'Requested resource not found: Table: PetStoreLocal-Pets', 'the name of a table'],
    ['an exception', 'ResourceNotFoundException', 'an error of the database'],
    ['an address that refuses', 'connect ECONNREFUSED 127.0.0.1:4567', 'an error of the database'],
    ['a digest', 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad', 'a digest'],
  ])('%s', (_, answer, kind) => {
    expect(internalsIn(`${answer}`)).toContain(kind)
  })

  test('what a header tells', () => {
    const refused = () => refuseInternals({ status: 500, headers: { 'x-error': 'ValidationException' }, text: '{}' })

    expect(refused).toThrow(new Error('An answer with the status 500 holds an error of the database.'))
  })
})

test('answers that are documented hold nothing of it', () => {
  const { methodNotAllowed, ...others } = gatewayResponses
  const answers = [methodNotAllowed(['GET']), ...Object.values(others)].map(({ body }) => JSON.stringify(body))

  expect(answers.flatMap(internalsIn)).toEqual([])
})
