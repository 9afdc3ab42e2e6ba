import { expect, test } from 'vitest'
import { openApiText } from '../../infra/openapi/document.ts'
import { differences } from './documented.ts'

const document = JSON.parse(openApiText())
const pet = { id: 1, name: 'Rex', categoryId: 9223372036854776000 }
const common = { 'access-control-allow-origin': '*', 'x-request-id': 'a' }
const headers = { ...common, 'content-type': 'application/json', etag: '"1"', location: '/v1/pets/1' }
const created = { status: 201, headers, text: JSON.stringify(pet), body: pet }
const create = { method: 'POST', path: '/pets/?a=/b' }

test.each([
  [create, created, []],
  [create, { ...created, status: 202 }, ['The status 202 is not documented.']],
  [create, { ...created, headers: { ...headers, location: undefined } }, ['The header Location is missing.']],
  [create, { ...created, headers: { ...headers, location: 'a' } }, ['Location: # String does not match pattern.']],
  [create, { ...created, body: 7 }, ['# Instance type "number" is invalid. Expected "object".']],
  [{ method: 'DELETE', path: '/pets/1' }, { ...created, status: 204 }, ['A body is not documented.']],
])('finds how the response to %o differs from the document', (request, response, expected) => {
  const found = differences(document, request, response as typeof created)

  expect(found).toEqual(expected)
})

test('compares with a literal path before a path with a parameter, as API Gateway does', () => {
  const get = (status: number) => ({ get: { responses: { [status]: {} } } })
  const paths = { '/pets/{petId}': get(200), '/pets/count': get(204) }
  const response = { status: 204, headers: {}, text: '', body: undefined }

  const found = differences({ paths, components: { headers: {}, schemas: {} } }, { path: '/pets/count' }, response)

  expect(found).toEqual([])
})
