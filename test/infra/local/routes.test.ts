import { expect, test } from 'vitest'
import { methodsOf, routeOf } from '../../../infra/local/routes.ts'

const pets = { resource: '/pets', pathParameters: null, operations: { GET: 'listPets', POST: 'createPet' } }
const pet = (petId: string) => ({
  resource: '/pets/{petId}',
  pathParameters: { petId },
  operations: { GET: 'getPet' },
})

test.each([
  ['/v1/pets', pets],
  ['/v1/pets/', pets],
  ['/v1//pets', pets],
  ['/v1///pets/', pets],
  ['/v1/pets/7', pet('7')],
  ['/v1/pets/7/', pet('7')],
  ['/v1//pets/7', pet('7')],
  ['/v1/pets/test%2Balias@gmail.com', pet('test%2Balias@gmail.com')],
  ['/v1/pets/{petId}', pet('{petId}')],
  ['/v1/docs', { resource: '/docs', pathParameters: null, operations: {} }],
])('knows %s', (path, expected) => {
  expect(routeOf(path)).toEqual(expected)
})

test.each([
  '/',
  '/v1',
  '/v1/',
  '/pets',
  '/v2/pets',
  '/v1pets',
  '/V1/pets',
  '/v1/Pets',
  '/v1/cats',
  '/v1/pets/7/toys',
  '/v1/pets//7',
  '/v1/pets//',
  '/v1/p%65ts',
  '/v1/__proto__',
])('knows nothing at %s', (path) => {
  expect(routeOf(path)).toBeUndefined()
})

test('tells the methods of a resource, the one of browsers included', () => {
  expect(
    methodsOf({ resource: '/pets', pathParameters: null, operations: { GET: 'listPets', POST: 'createPet' } }),
  ).toEqual(['GET', 'POST', 'OPTIONS'])
})
