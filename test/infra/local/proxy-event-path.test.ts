import { expect, test } from 'vitest'
import { eventOf, eventOfText } from './event.ts'

test.each([
  ['/v1/pets', '/pets', '/v1/pets', null],
  ['/v1/pets/', '/pets/', '/v1/pets/', null],
  ['/v1//pets', '/pets', '/v1//pets', null],
  ['//v1/pets', '/pets', '/v1/pets', null],
  ['/v1/pets/7/', '/pets/7/', '/v1/pets/7/', { petId: '7' }],
  ['/v1/pets/a%2Bb+c@d.com', '/pets/a%2Bb+c@d.com', '/v1/pets/a%2Bb+c@d.com', { petId: 'a%2Bb+c@d.com' }],
])(
  'of %s keeps the path as it was sent, and the stage in requestContext alone',
  async (sent, path, withStage, named) => {
    const { path: received, pathParameters, requestContext } = await eventOf({ path: sent })

    expect({ path: received, pathParameters, withStage: requestContext.path }).toEqual({
      path,
      pathParameters: named,
      withStage,
    })
  },
)

test('names the resource by its template', async () => {
  const { resource, requestContext } = await eventOf({ path: '/v1/pets/7' })

  expect([resource, requestContext.resourcePath]).toEqual(['/pets/{petId}', '/pets/{petId}'])
})

test('takes the path out of a target in absolute form', async () => {
  const event = await eventOfText('GET http://pets.example/v1/pets/7?a=1 HTTP/1.1\r\nHost: pets.example\r\n\r\n')

  expect([event.path, event.requestContext.path, event.queryStringParameters]).toEqual([
    '/pets/7',
    '/v1/pets/7',
    { a: '1' },
  ])
})

test.each([
  ['', null, null],
  ['?', null, null],
  ['?&', null, null],
  ['?status', { status: '' }, { status: [''] }],
  ['?status=sold', { status: 'sold' }, { status: ['sold'] }],
  [
    '?category=electronics&price=10&price=20&category=books&price=30',
    { category: 'books', price: '30' },
    { category: ['electronics', 'books'], price: ['10', '20', '30'] },
  ],
  [
    '?email=test%2Balias@gmail.com&plus=test+alias@gmail.com&url=https%3A%2F%2Fwww.google.com/?x',
    { email: 'test+alias@gmail.com', plus: 'test alias@gmail.com', url: 'https://www.google.com/?x' },
    { email: ['test+alias@gmail.com'], plus: ['test alias@gmail.com'], url: ['https://www.google.com/?x'] },
  ],
])('of the query %j has the last of repeated values, and all of them apart', async (query, last, all) => {
  const event = await eventOf({ path: `/v1/pets${query}` })

  expect([event.queryStringParameters, event.multiValueQueryStringParameters]).toEqual([last, all])
})

test('has a parameter that is named __proto__ as any other', async () => {
  const event = await eventOf({ path: '/v1/pets?__proto__=x' })

  expect(JSON.stringify(event.multiValueQueryStringParameters)).toBe('{"__proto__":["x"]}')
})
