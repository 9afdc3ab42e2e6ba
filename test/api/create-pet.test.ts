import { expect, test } from 'vitest'
import { call, create, created, expectCommonHeaders, expectError, type Pet } from '../support/api.ts'

const NAME = 'name must be a string of 1 to 1000 characters, not only white space, in valid Unicode'
const CATEGORY = 'categoryId must be an integer from -9223372036854775808 to 9223372036854775807, in digits'
const STATUS = 'status must be one of available, pending, sold, or omitted'

const idOf = ({ body }: { body: unknown }): number => (body as Pet).id // The first test proves it.

test('adds a pet, with an id that every JSON parser reads exactly, and its path', async () => {
  const response = await create({ name: 'Rex', categoryId: 7, status: 'available' })

  const id = idOf(response)
  expect(response.status).toBe(201)
  expect(response.body).toEqual({ id, name: 'Rex', categoryId: 7, status: 'available' })
  expect(id).toSatisfy((value) => Number.isSafeInteger(value) && value > 0)
  expect(response.headers.location).toBe(`/v1/pets/${id}`)
  expectCommonHeaders(response)
})

test('gives each of 100 pets that are added at once its own id', async () => {
  const pets = Array.from({ length: 100 }, (_, i) => ({ name: `Rex ${i}`, categoryId: i }))

  const responses = await Promise.all(pets.map((pet) => created(pet)))

  expect(responses).toEqual(pets.map((pet) => ({ id: expect.any(Number), ...pet })))
  expect(new Set(responses.map(({ id }) => id)).size).toBe(100)
})

test.each([
  ['9223372036854775807', '9223372036854775807'],
  ['-9223372036854775808', '-9223372036854775808'],
  ['9007199254740993', '9007199254740993'],
  ['1.0', '1'],
  ['1e3', '1000'],
])('returns the categoryId %s as %s, also when the pet is read', async (sent, expected) => {
  const added = await create(`{"name":"Rex","categoryId":${sent}}`)
  const read = await call({ path: `/pets/${idOf(added)}` })

  expect(added.status).toBe(201)
  expect(added.text).toMatch(new RegExp(`^\\{"id":\\d+,"name":"Rex","categoryId":${expected}\\}$`))
  expect(read.text).toBe(added.text)
})

test.each([
  ['1000 characters outside the basic plane', '🐕'.repeat(1000)],
  ['white space around text', ' Rex '],
  ['control characters', 'R\u0000e\u001fx'],
  ['other scripts', 'レックス Ρεξ رکس'],
])('returns a name with %s unchanged', async (_, name) => {
  expect(await created({ name, categoryId: 7 })).toEqual({ id: expect.any(Number), name, categoryId: 7 })
})

test('ignores unknown fields and an id, and uses the last of repeated fields', async () => {
  const { status, body } = await create('{"id":1,"tag":"x","name":"Tom","name":"Rex","categoryId":7}')

  expect(status).toBe(201)
  expect(body).toEqual({ id: expect.toSatisfy((id) => id > 1), name: 'Rex', categoryId: 7 })
})

test.each([
  ['no field', '{}', `${NAME}; ${CATEGORY}`],
  ['every field invalid', '{"name":"","categoryId":"7","status":"gone"}', `${NAME}; ${CATEGORY}; ${STATUS}`],
  ['a categoryId of 2^63', '{"name":"Rex","categoryId":9223372036854775808}', CATEGORY],
  ['a fraction as categoryId', '{"name":"Rex","categoryId":1.5}', CATEGORY],
  ['only white space as name', '{"name":" \\t\\u3000","categoryId":7}', NAME],
  ['a name of 1001 characters', `{"name":"${'🐕'.repeat(1001)}","categoryId":7}`, NAME],
  ['null as status', '{"name":"Rex","categoryId":7,"status":null}', STATUS],
])('returns 400 with the rules for a body with %s', async (_, body, rules) => {
  const response = await create(body)

  expectError(response, 400, 'bad_request', `${rules}.`)
})

const UNREADABLE = 'The body cannot be read as JSON.'
const NO_OBJECT = 'The body is not a JSON object.'

test.each([
  ['empty', '', UNREADABLE],
  ['not JSON', '{bad', UNREADABLE],
  ['JSON after a byte order mark', '\ufeff{"name":"Rex","categoryId":7}', UNREADABLE],
  ['null', 'null', NO_OBJECT],
  ['an array', '[]', NO_OBJECT],
  ['an object with a key that can change its prototype', '{"__proto__":{},"name":"Rex","categoryId":7}', UNREADABLE],
  ['100 KB of nesting', '['.repeat(100_000), UNREADABLE],
  ['100 KB of nesting around a long number', `${'[1234567890123456,'.repeat(6000)}${']'.repeat(6000)}`, UNREADABLE],
  ['not UTF-8', Buffer.from([0x7b, 0xff, 0x7d]), UNREADABLE],
])('returns 400 with all rules for a body that is %s', async (_, body, problem) => {
  const headers = { 'Content-Type': 'application/json' }

  const response = await call({ method: 'POST', path: '/pets', headers, body })

  const expected = `It must be a JSON object in UTF-8, without a key __proto__, in which ${NAME}; ${CATEGORY}; ${STATUS}.`
  expectError(response, 400, 'bad_request', `${problem} ${expected}`)
})

test('accepts a body of 256 KiB, and returns 413 for a larger one', async () => {
  const bodyOf = (size: number) => '{"name":"Rex","categoryId":7,"x":"'.padEnd(size - 2, 'x').concat('"}')

  const largest = await create(bodyOf(256 * 1024))
  const tooLarge = await create(bodyOf(256 * 1024 + 1))

  expect(largest.status).toBe(201)
  expectError(tooLarge, 413, 'payload_too_large', 'The body must not be larger than 256 KiB.')
})

test.each(['APPLICATION/JSON', 'application/json ;charset=utf-8', 'application/vnd.pet+json'])(
  'accepts Content-Type: %s',
  async (type) => {
    const { status } = await create({ name: 'Rex', categoryId: 7 }, { 'Content-Type': type })

    expect(status).toBe(201)
  },
)

test.each(['text/plain', 'application/jsonp', undefined])(
  'returns 415 for a body with Content-Type: %s',
  async (type) => {
    const headers = { ...(type && { 'Content-Type': type }) }

    const response = await call({ method: 'POST', path: '/pets', headers, body: '{"name":"Rex","categoryId":7}' })

    const message = 'Send the body as JSON, with the header Content-Type: application/json'
    expectError(response, 415, 'unsupported_media_type', message)
  },
)
