import { expect, test } from 'vitest'
import {
  createdPet,
  expectCommonHeaders,
  expectError,
  expectListed,
  update,
} from '../support/api.ts'

const NO_CHANGE = expect.stringMatching(
  /^The body must have at least one of [\w, ]*\bname, categoryId, status[\w, ]*\.$/,
)
const rex = { name: 'Rex', categoryId: 7, status: 'available' }

test.each([
  ['null as status', { status: null }, { name: 'Rex', categoryId: 7 }],
  [
    'every field',
    { name: 'Max', categoryId: 8, status: 'pending' },
    { name: 'Max', categoryId: 8, status: 'pending' },
  ],
])(
  'changes a pet, returns it, and moves it to the list of its new status, for %s',
  async (_, changes, expected) => {
    const { id } = await createdPet(rex)

    const response = await update(id, changes)

    expect([response.status, response.body]).toEqual([200, { id, ...expected }])
    expectCommonHeaders(response)
    await expectListed(id, { id, ...expected })
    await expectListed(id, undefined, '&status=available')
  },
)

test.each([
  ['no field', '{}', NO_CHANGE],
  ['null as name', '{"name":null}', expect.stringMatching(/^name must be [^;]+, or omitted\.$/)],
  [
    'an unknown status',
    '{"status":"gone"}',
    'status must be one of available, pending, sold, null, or omitted.',
  ],
])(
  'returns 400 with what a change may hold, and changes nothing, for %s',
  async (_, body, message) => {
    const pet = await createdPet(rex)

    const response = await update(pet.id, body)

    expectError(response, 400, 'bad_request', message)
    await expectListed(pet.id, pet)
  },
)

test('returns 415 with the media types of a change for a JSON Patch', async () => {
  const { id } = await createdPet(rex)

  const response = await update(id, {}, { 'Content-Type': 'application/json-patch+json' })

  const message =
    'The Content-Type application/json-patch+json is not supported. ' +
    'Send application/json or application/merge-patch+json.'
  expectError(response, 415, 'unsupported_media_type', message)
  const types = 'application/json, application/merge-patch+json'
  expect(response.headers['accept-patch']).toBe(types)
})
