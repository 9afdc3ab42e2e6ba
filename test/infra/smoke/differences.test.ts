import { expect, test } from 'vitest'
import { type Alteration, isList, isPet, runAltered, without } from './altered-api.ts'

const BAD_BODY = 'POST /pets with a wrong body: expected 400, the Error body of bad_request, but'
const NOT_FOUND = 'GET /smoke-test: expected 404, the Error body of not_found, but'
const DELETE = 'DELETE /pets: expected 405, the Error body of method_not_allowed, the header Allow, but'

const cases: [string, Alteration, string][] = [
  [
    'rounds an int64',
    ({ body }, { path }) => (isPet(path) ? { body: { ...Object(body), categoryId: 2 ** 63 } } : undefined),
    'GET /pets/<id>: expected 200, the pet, but 200 came with {"id":<id>,',
  ],
  [
    'does not find what was added',
    (_, { path }) => (isPet(path) ? { status: 404 } : undefined),
    'GET /pets/<id>: expected 200, the pet, but 404 came with {',
  ],
  [
    'does not list what was added',
    (_, { path }) => (isList(path) ? { body: [] } : undefined),
    'GET /pets?status=sold&limit=100: expected 200, the pet among others, but 200 came with [] (',
  ],
  [
    'does not say where the pet is',
    (answer) => (answer.status === 201 ? without('Location', answer) : undefined),
    'POST /pets with "<name>": expected 201, the pet with its id, the header Location, but 201 came with {',
  ],
  [
    'adds a pet twice',
    ({ headers }) => (headers.has('Idempotent-Replayed') ? { body: { id: 1 } } : undefined),
    'POST /pets again, with the same Idempotency-Key: expected 201, the same pet, the header Idempotent-Replayed, but',
  ],
  [
    'does not say that it had added a pet before',
    (answer) => without('Idempotent-Replayed', answer),
    'POST /pets again, with the same Idempotency-Key: expected 201, the same pet, the header Idempotent-Replayed, but',
  ],
  ['takes anything', ({ status }) => (status === 400 ? { status: 201 } : undefined), `${BAD_BODY} 201 came with {`],
  [
    'adds a field to an error',
    ({ status, body }) => (status === 400 ? { body: { ...Object(body), requestId: 'r' } } : undefined),
    `${BAD_BODY} 400 came with {`,
  ],
  [
    'answers with HTML',
    ({ status }) => (status === 400 ? { body: '<html>' } : undefined),
    `${BAD_BODY} 400 came with "<html>" (`,
  ],
  [
    'leaves a field of an error out',
    ({ status }) => (status === 405 ? { body: { code: 'method_not_allowed', status } } : undefined),
    `${DELETE} 405 came with {`,
  ],
  [
    'has an error without words',
    ({ status, body }) => (status === 405 ? { body: { ...Object(body), message: '' } } : undefined),
    `${DELETE} 405 came with {`,
  ],
  [
    'does not say what it takes',
    (answer) => (answer.status === 405 ? without('Allow', answer) : undefined),
    `${DELETE} 405 came with {`,
  ],
  [
    "answers with API Gateway's own 403",
    (_, { path }) => (path === '/smoke-test' ? { status: 403, body: { message: 'Forbidden' } } : undefined),
    `${NOT_FOUND} 403 came with {"message":"Forbidden"} (`,
  ],
  [
    'does not want a key',
    (_, { path, method, key }) => (path === '/pets' && !method && !key ? { status: 200, body: [] } : undefined),
    'GET /pets without a key: expected 401, the Error body of unauthorized, the header WWW-Authenticate or ',
  ],
]

test.each(cases)('tells of an API that %s', async (_, alter, expected) => {
  const { passed, lines } = await runAltered(alter, 1)

  const differences = lines.filter((line) => line.startsWith('✗'))
  expect(passed).toBe(false)
  expect(differences.map((line) => line.replaceAll(/\d{13,}/g, '<id>').replace(/"Smoke test.+?"/, '"<name>"'))).toEqual(
    [expect.stringContaining(`✗ ${expected}`)],
  )
})
