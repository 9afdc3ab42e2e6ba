import { describe, expect, test } from 'vitest'
import { apiKey, call, callAnonymously, create, expectCommonHeaders, expectError } from '../support/api.ts'

const NAME = 'name must be a string of 1 to 1000 characters, not only white space, in valid Unicode'
const CATEGORY = 'categoryId must be an integer from -9223372036854775808 to 9223372036854775807, in digits'
const STATUS = 'status must be one of available, pending, sold, or omitted'
const EXPECTED = `It must be a JSON object in UTF-8, without a key __proto__, in which ${NAME}; ${CATEGORY}; ${STATUS}.`

test('adds a pet, and says where it is', async () => {
  const response = await create({ name: 'Rex', categoryId: 7, status: 'available' })

  expect(response.status).toBe(201)
  expect(response.body).toEqual({ id: expect.any(Number), name: 'Rex', categoryId: 7, status: 'available' })
  expect(response.headers.location).toBe(`/v1/pets/${(response.body as { id: number }).id}`)
  expectCommonHeaders(response)
})

test('gives an id that every JSON client holds exactly', async () => {
  const { body } = await create({ name: 'Rex', categoryId: 7 })

  expect(body).toEqual({ id: expect.toSatisfy((id) => Number.isSafeInteger(id) && id > 0), name: 'Rex', categoryId: 7 })
})

describe('a categoryId', () => {
  test.each([
    ['9223372036854775807', '9223372036854775807'],
    ['-9223372036854775808', '-9223372036854775808'],
    ['9007199254740993', '9007199254740993'],
    ['1.0', '1'],
    ['1e3', '1000'],
    ['368813031867639.0', '368813031867639'],
    ['0', '0'],
  ])('of %s comes back as %s, also when read later', async (sent, expected) => {
    const added = await create(`{"name":"Rex","categoryId":${sent}}`)
    const read = await call({ path: `/pets/${(added.body as { id: number }).id}` })

    expect(added.status).toBe(201)
    expect(added.text).toMatch(new RegExp(`^\\{"id":\\d+,"name":"Rex","categoryId":${expected}\\}$`))
    expect(read.text).toBe(added.text)
  })

  test.each([
    '9223372036854775808',
    '-9223372036854775809',
    '1.5',
    '"7"',
    'null',
    'true',
    '[]',
    '{}',
    '1e17',
    '9007199254740993.0',
    '899999999999999.99',
    '1e-400',
    '1e400',
  ])('of %s is refused', async (sent) => {
    const response = await create(`{"name":"Rex","categoryId":${sent}}`)

    expectError(response, 400, 'bad_request', `${CATEGORY}.`)
  })
})

describe('a name', () => {
  test.each([
    ['one character', 'x'],
    ['1000 characters', 'x'.repeat(1000)],
    ['1000 characters outside the basic plane', '🐕'.repeat(1000)],
    ['white space around text', ' Rex '],
    ['control characters', 'R\u0000e\u001fx'],
    ['other scripts', 'レックス Ρεξ رکس'],
  ])('of %s comes back as it was sent', async (_, name) => {
    const { status, body } = await create({ name, categoryId: 7 })

    expect(status).toBe(201)
    expect(body).toEqual({ id: expect.any(Number), name, categoryId: 7 })
  })

  test.each([
    ['nothing', '""'],
    ['white space alone', '" \\t\\n\\u00a0\\u3000"'],
    ['1001 characters', JSON.stringify('🐕'.repeat(1001))],
    ['a lone surrogate', '"\\ud83d"'],
    ['a replacement character', '"R\ufffdx"'],
    ['a number', '7'],
    ['null', 'null'],
  ])('of %s is refused', async (_, name) => {
    const response = await create(`{"name":${name},"categoryId":7}`)

    expectError(response, 400, 'bad_request', `${NAME}.`)
  })
})

test('ignores unknown fields and an id of the client, and takes the last of repeated ones', async () => {
  const { status, body } = await create('{"id":1,"tag":"x","name":"Tom","name":"Rex","categoryId":7}')

  expect(status).toBe(201)
  expect(body).toEqual({ id: expect.any(Number), name: 'Rex', categoryId: 7 })
  expect(body).not.toMatchObject({ id: 1 })
})

test('names every field that is wrong, and what each takes', async () => {
  const response = await create({ name: '', categoryId: '7', status: 'gone' })

  expectError(response, 400, 'bad_request', `${NAME}; ${CATEGORY}; ${STATUS}.`)
})

test.each([
  ['{}', `${NAME}; ${CATEGORY}.`],
  ['{"name":"Rex"}', `${CATEGORY}.`],
  ['{"name":"Rex","categoryId":7,"status":null}', `${STATUS}.`],
  ['{"name":"Rex","categoryId":7,"status":"Available"}', `${STATUS}.`],
])('refuses %s', async (body, message) => {
  const response = await create(body)

  expectError(response, 400, 'bad_request', message)
})

test.each([
  ['empty', ''],
  ['white space', ' '],
  ['not JSON', '{bad'],
  ['JSON with a key that could change objects', '{"__proto__":{},"name":"Rex","categoryId":7}'],
  ['100 KB of nesting', '['.repeat(100_000)],
  ['100 KB of nesting around a long number', `${'[1234567890123456,'.repeat(6000)}${']'.repeat(6000)}`],
  ['not UTF-8', Buffer.from([0x7b, 0xff, 0x7d])],
])('refuses a body that is %s', async (_, body) => {
  const headers = { 'Content-Type': 'application/json' }

  const response = await call({ method: 'POST', path: '/pets', headers, body })

  expectError(response, 400, 'bad_request', expect.stringContaining(EXPECTED))
})

test.each(['null', '[]', '"Rex"', '7', 'true'])('refuses the body %s, which is no object', async (body) => {
  const response = await create(body)

  expectError(response, 400, 'bad_request', `The body is not a JSON object. ${EXPECTED}`)
})

test('takes a body of 256 KiB, and refuses a larger one', async () => {
  const bodyOf = (size: number) => '{"name":"Rex","categoryId":7,"x":"'.padEnd(size - 2, 'x').concat('"}')

  const largest = await create(bodyOf(256 * 1024))
  const tooLarge = await create(bodyOf(256 * 1024 + 1))

  expect(largest.status).toBe(201)
  expectError(tooLarge, 413, 'payload_too_large', 'The body must not be larger than 256 KiB.')
})

test.each([
  'application/json',
  'APPLICATION/JSON',
  'application/json; charset=utf-8',
  'application/json ;charset=utf-8',
  'application/vnd.pet+json',
])('takes Content-Type: %s', async (type) => {
  const { status } = await create({ name: 'Rex', categoryId: 7 }, { 'Content-Type': type })

  expect(status).toBe(201)
})

test.each(['text/plain', 'application/x-www-form-urlencoded', 'application/jsonp', 'json'])(
  'refuses Content-Type: %s',
  async (type) => {
    const response = await create({ name: 'Rex', categoryId: 7 }, { 'Content-Type': type })

    const message = 'Send the body as JSON, with the header Content-Type: application/json'
    expectError(response, 415, 'unsupported_media_type', message)
  },
)

test('refuses a body without a Content-Type', async () => {
  const response = await call({ method: 'POST', path: '/pets', body: '{"name":"Rex","categoryId":7}' })

  expectError(response, 415, 'unsupported_media_type', expect.any(String))
})

test('tells a stranger nothing about the body', async () => {
  const response = await callAnonymously({ method: 'POST', path: '/pets', body: '{bad' })

  expectError(response, 401, 'unauthorized', expect.not.stringContaining('JSON'))
  expect(response.text).not.toContain(apiKey)
})

test('gives every one of 100 pets that are added at once an id of its own', async () => {
  const responses = await Promise.all(
    Array.from({ length: 100 }, (_, i) => create({ name: `Rex ${i}`, categoryId: i })),
  )

  const ids = responses.map(({ body }) => (body as { id: number }).id)
  expect(new Set(ids).size).toBe(100)
  expect(responses.map(({ body }) => body)).toEqual(ids.map((id, i) => ({ id, name: `Rex ${i}`, categoryId: i })))
})
