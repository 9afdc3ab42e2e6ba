import { expect, test } from 'vitest'
import { createClient } from '../../../shared/client/client.ts'
import { allOf } from '../../support/all-of.ts'
import { type MadeUp, serve } from './front.ts'

const pet = (id: number) => ({ id, name: 'Rex', categoryId: 7 })

const page = (ids: number[], link = ''): MadeUp => ({
  status: 200,
  headers: link ? { Link: link } : {},
  body: JSON.stringify(ids.map(pet)),
})

const linkTo = (address: string) => `<${address}>; rel="next"`

test.each([
  ['as the service writes it', linkTo('https://api.example.com/v1/pets?limit=2&cursor=abc')],
  ['of another address', linkTo('http://elsewhere.example/pets?limit=2&cursor=abc')],
  ['without an address', '<?limit=2&cursor=abc>; rel=next'],
  [
    'behind another',
    `<https://api.example.com/v1/cats?cursor=no>; rel="successor-version", ${linkTo('/pets?limit=2&cursor=abc')}`,
  ],
  ['before another', `${linkTo('/pets?limit=2&cursor=abc')}, </pets?cursor=no>; rel="last"`],
])('a link to the next page is followed at the base address alone: %s', async (_, link) => {
  const front = await serve([page([4, 3], link), page([2])])

  const pets = await allOf(createClient(front).pets.list({ limit: 2 }))

  expect(pets).toEqual([4, 3, 2].map(pet))
  expect(front.requests.map(({ path }) => path)).toEqual(['/v1/pets?limit=2', '/v1/pets?limit=2&cursor=abc'])
})

test('a link that is not to a next page ends the list', async () => {
  const front = await serve([page([4], '</v1/pets?cursor=abc>; rel="successor-version"')])

  expect(await allOf(createClient(front).pets.list())).toEqual([pet(4)])
  expect(front.requests.map(({ path }) => path)).toEqual(['/v1/pets'])
})

test('a page is asked for when the one before was read, and none when the reader leaves', async () => {
  const front = await serve([page([4, 3], linkTo('?cursor=abc'))])
  const list = createClient(front).pets.list()
  expect(front.requests).toEqual([])

  for await (const { id } of list) if (id === 3) break

  expect(front.requests).toHaveLength(1)
})

test('a list can be read again, and page by page', async () => {
  const front = await serve([page([4], linkTo('?cursor=abc')), page([]), page([3], linkTo('?cursor=abc')), page([2])])
  const list = createClient(front).pets.list()

  expect(await allOf(list)).toEqual([pet(4)])
  expect(await allOf(list.pages())).toEqual([[pet(3)], [pet(2)]])
})

test('what is left undefined is not asked for', async () => {
  const front = await serve([page([])])

  await allOf(createClient({ ...front, baseUrl: `${front.baseUrl}//` }).pets.list({ status: undefined, limit: 3 }))

  expect(front.requests.map(({ path }) => path)).toEqual(['/v1/pets?limit=3'])
})
