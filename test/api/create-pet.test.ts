import { expect, test } from 'vitest'
import { cursorAfter } from '../../shared/model/paging.ts'
import type { Pet } from '../../shared/pets/pet.ts'
import { service } from '../../shared/service.ts'
import { create, expectCommonHeaders, expectError, request } from '../support/api.ts'

const NAME = 'name must be a string of 1 to 1000 characters, not only white space, in valid Unicode'
const CATEGORY =
  'categoryId must be a JSON number, without quotes: an integer from -9223372036854775808 to ' +
  '9223372036854775807, in digits'
const STATUS = 'status must be one of available, pending, sold, or omitted'

test('adds a pet with all digits, and an id that every JSON parser reads exactly', async () => {
  const response = await create(
    '{"name":"Rex","categoryId":9223372036854775807,"status":"available"}',
  )

  const { id } = response.body as Pet // As the text below.
  expect(response.status).toBe(201)
  expect(response.text).toBe(
    `{"id":${id},"name":"Rex","categoryId":9223372036854775807,"status":"available"}`,
  )
  expect(id).toSatisfy((value) => Number.isSafeInteger(value) && value > 0)
  expect(response.headers.location).toBe(`${service.basePath}/pets/${id}`)
  expectCommonHeaders(response)
  // The index follows the table, usually within a second.
  const page = async () =>
    (await request({ path: `/pets?limit=1&cursor=${cursorAfter(id + 1)}` })).text
  await expect.poll(page).toBe(`[${response.text}]`)
})

// More bodies, and content types, are in properties.test.ts.
test.each([
  [
    'without fields',
    '{}',
    expect.stringMatching(
      /^name is missing: it must be .+; categoryId is missing: it must be .+\.$/,
    ),
  ],
  [
    'with invalid fields',
    '{"name":"","categoryId":"7","status":"gone"}',
    `${NAME}; ${CATEGORY}; ${STATUS}.`,
  ],
  [
    'that is an array',
    '[]',
    expect.stringMatching(
      `^The body is not a JSON object\\. It must be a JSON object in which .*${NAME}; ${CATEGORY}; `,
    ),
  ],
  [
    'that is not JSON',
    '{bad',
    expect.stringMatching(/^The body is not valid JSON: .* at position 1 \(line 1 .+\)\.$/),
  ],
])('returns 400 with the reason for a body %s', async (_, body, message) => {
  const response = await create(body)

  expectError(response, 400, 'bad_request', message)
})
