import { inspect } from 'node:util'
import { describe, expect, test } from 'vitest'
import { type Client, createClient, PetStoreError } from '../../../infra/client/client.ts'
import { error, type FakeResponse, type Fate, serve } from '../../support/fake-api.ts'

const rex = { name: 'Rex', categoryId: 7 }

describe('a list', () => {
  const pet = (id: number) => ({ id, ...rex })

  const page = (ids: number[], link = ''): FakeResponse => ({
    status: 200,
    headers: link ? { Link: link } : {},
    body: JSON.stringify(ids.map(pet)),
  })

  const linkTo = (address: string) => `<${address}>; rel="next"`

  test.each([
    ['as the service writes it', linkTo('https://api.example.com/v1/pets?limit=2&cursor=abc')],
    ['to another host', linkTo('http://elsewhere.example/pets?limit=2&cursor=abc')],
    ['without an address', '<?limit=2&cursor=abc>; rel=next'],
    [
      'after another link',
      `<https://api.example.com/v1/cats?cursor=no>; rel="successor-version", ${linkTo('/pets?limit=2&cursor=abc')}`,
    ],
    ['before another link', `${linkTo('/pets?limit=2&cursor=abc')}, </pets?cursor=no>; rel="last"`],
  ])('requests the next page from the base address only: link %s', async (_, link) => {
    const api = await serve(page([4, 3], link), page([2], '</v1/pets?cursor=no>; rel="successor-version"'))

    const pets = await Array.fromAsync(createClient(api).listPets({ limit: 2 }))

    expect(pets).toEqual([4, 3, 2].map(pet))
    expect(api.requests.map(({ path }) => path)).toEqual(['/v1/pets?limit=2', '/v1/pets?limit=2&cursor=abc'])
  })

  test('requests no page before the reader gets there', async () => {
    const api = await serve(page([4, 3], linkTo('?cursor=abc')))
    const list = createClient(api).listPets()
    expect(await list.toArray({ max: 0 })).toEqual([])
    expect(api.requests).toEqual([])

    expect(await list.toArray({ max: 2 })).toEqual([pet(4), pet(3)])

    expect(api.requests).toHaveLength(1)
  })

  test('can be read again, and page by page; it sends neither undefined parameters nor two slashes', async () => {
    const api = await serve(page([4], linkTo('?cursor=a%3D')), page([]), page([3], linkTo('?cursor=abc')), page([2]))
    const client = createClient({ ...api, baseUrl: `${api.baseUrl}//` })
    const list = client.listPets({ cursor: 'x=', status: undefined })

    expect(await Array.fromAsync(list)).toEqual([pet(4)])
    expect(await Array.fromAsync(list.pages())).toEqual([
      { items: [pet(3)], nextCursor: 'abc' },
      { items: [pet(2)], nextCursor: undefined },
    ])
    const cursors = ['x%3D', 'a%3D', 'x%3D', 'abc']
    expect(api.requests.map(({ path }) => path)).toEqual(cursors.map((cursor) => `/v1/pets?cursor=${cursor}`))
  })
})

test.each<[string, (client: Client) => Promise<unknown>]>([
  ['a path', (client) => client.deletePet({ petId: 2 ** 53 })],
  ['a query', (client) => client.listPets({ limit: -(2 ** 53) }).toArray({ max: 1 })],
  ['a body', (client) => client.updatePet({ petId: 1, categoryId: 1e300 })],
])('sends no number in %s that may have been rounded', async (_, call) => {
  const api = await serve('cut')

  await expect(call(createClient(api))).rejects.toThrow(/^\S+ may already have been rounded\. Pass .* as a bigint\.$/)
  expect(api.requests).toEqual([])
})

const failureOf = async (call: Promise<unknown>): Promise<PetStoreError> => {
  const error: unknown = await call.catch((thrown) => thrown)
  if (!(error instanceof PetStoreError)) throw new Error('The call did not throw a PetStoreError.', { cause: error })
  return error
}

const ID = { 'X-Request-Id': 'abc=' }
const html: FakeResponse = { status: 404, headers: { 'Content-Type': 'text/html' }, body: '<html>Not here</html>' }

describe('throws a PetStoreError', () => {
  test('with the code, message, status and request id of an error response', async () => {
    const message = 'Nothing is at this address.'
    const body = JSON.stringify({ code: 'not_found', message, status: 404 })
    const api = await serve({ status: 404, headers: ID, body })

    const error = await failureOf(createClient(api).getPet({ petId: 1 }))

    const details = { code: 'not_found', status: 404, requestId: 'abc=', retryAfter: undefined }
    expect({ ...error }).toEqual({ name: 'PetStoreError', ...details })
    expect(String(error)).toBe(`PetStoreError: ${message}`)
  })

  const get = (client: Client) => client.getPet({ petId: 1 })
  const create = (client: Client) => client.createPet(rex)
  const remove = (client: Client) => client.deletePet({ petId: 1 })
  const list = (client: Client) => client.listPets().toArray({ max: 1 })

  test.each<[string, FakeResponse, (client: Client) => Promise<unknown>]>([
    ['the error page of a proxy', html, get],
    ['a sign-in page', { ...html, status: 200 }, get],
    ['other JSON', { status: 403, body: '{"message":"Forbidden"}' }, get],
    ['a number', { status: 200, body: '7' }, get],
    ['nothing', { status: 204 }, get],
    ['an object instead of a list', { status: 200, headers: ID, body: '{"login":"/"}' }, list],
    ['a page instead of no content', { ...html, status: 200 }, remove],
    ['a list instead of a pet', { status: 200, headers: ID, body: '[]' }, get],
    ['another object instead of a pet', { status: 200, headers: ID, body: '{"login":"/"}' }, create],
  ])('when the response is not from the service, but %s', async (_, response, call) => {
    const { status, headers } = response
    const api = await serve(response)

    const error = await failureOf(call(createClient(api)))

    const message = `The response (${status}) is not from the pet store API. Check baseUrl and any proxy.`
    expect(error).toMatchObject({ code: 'unexpected_answer', status, message, requestId: headers?.['X-Request-Id'] })
    expect(api.requests).toHaveLength(1)
  })
})

describe('the API key', () => {
  const apiKey = 'pet_local_secret'

  test.each([301, 302, 303, 307, 308])('does not follow a redirect (%d)', async (status) => {
    const elsewhere = await serve({ status: 200, body: '[]' })
    const api = await serve({ status, headers: { Location: elsewhere.baseUrl } })

    const error = await failureOf(createClient({ ...api, apiKey }).createPet(rex))

    const message = expect.stringContaining('another address')
    expect(error).toMatchObject({ code: 'unexpected_answer', status, message })
    expect(elsewhere.requests).toEqual([])
    expect(api.requests).toHaveLength(1)
  })

  test.each<Fate>(['cut', 'cutResponse', html, error(503), { status: 302 }])('is in no error: %j', async (fate) => {
    const client = createClient({ ...(await serve(fate)), apiKey, attempts: 1 })

    const error = await failureOf(client.getPet({ petId: 1 }))

    expect(inspect([client, error], { depth: null, showHidden: true })).not.toContain('secret')
  })

  const invalidKeys = ['pet_local_secret\n', 'Bearer pet_local_secret', 'pet_local_secret→', '']
  test.each(invalidKeys)('is refused, and not in the error, if a header cannot hold it: %j', (invalid) => {
    const create = () => createClient({ baseUrl: 'http://127.0.0.1/v1', apiKey: invalid })

    expect(create).toThrow(new TypeError('apiKey must be a string of visible ASCII characters.'))
  })
})

const invalidAddresses = [undefined, '/v1', 'localhost:3000/v1', 'file:///v1', ''].map((baseUrl) => ({ baseUrl }))
test.each([undefined, ...invalidAddresses])('says what a base address is: %j', (options) => {
  const create = () => createClient(Object(options && { ...options, apiKey: 'k' })) // As JavaScript programs can.

  const message = 'baseUrl must be the address of the API, such as https://api.example.com/v1.'
  expect(create).toThrow(new TypeError(message))
})

test('shows each response of a call, and all of an error as JSON', async () => {
  const headers = { 'X-Request-Id': 'abc', 'Retry-After': '0' }
  const body = JSON.stringify({ code: 'not_found', message: 'No pet has the id 1.', status: 404 })
  const api = await serve({ status: 503, headers, body: '' }, { status: 404, headers, body })
  const seen: unknown[] = []
  const onResponse = ({ status, headers }: { status: number; headers: Headers }) =>
    seen.push([status, headers.get('X-Request-Id')])

  const error = await failureOf(createClient(api).getPet({ petId: 1 }, { onResponse }))

  expect(seen).toEqual([503, 404].map((status) => [status, 'abc']))
  const properties = { code: 'not_found', status: 404, requestId: 'abc', retryAfter: 0 }
  const json = { name: 'PetStoreError', message: 'No pet has the id 1.', ...properties }
  expect(JSON.parse(JSON.stringify(error))).toEqual(json)
})
