import { inspect } from 'node:util'
import { describe, expect, test } from 'vitest'
import { type Client, createClient, PetStoreError } from '../../../shared/client/client.ts'
import { error, type FakeResponse, type Fate, serve } from './fake-api.ts'

const rex = { name: 'Rex', categoryId: 7 }

describe('list', () => {
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

    const pets = await Array.fromAsync(createClient(api).pets.list({ limit: 2 }))

    expect(pets).toEqual([4, 3, 2].map(pet))
    expect(api.requests.map(({ path }) => path)).toEqual(['/v1/pets?limit=2', '/v1/pets?limit=2&cursor=abc'])
  })

  test('requests no page before the reader gets there', async () => {
    const api = await serve(page([4, 3], linkTo('?cursor=abc')))
    const list = createClient(api).pets.list()
    expect(api.requests).toEqual([])

    for await (const { id } of list) if (id === 3) break

    expect(api.requests).toHaveLength(1)
  })

  test('can be read again, and page by page', async () => {
    const api = await serve(page([4], linkTo('?cursor=abc')), page([]), page([3], linkTo('?cursor=abc')), page([2]))
    const list = createClient(api).pets.list()

    expect(await Array.fromAsync(list)).toEqual([pet(4)])
    expect(await Array.fromAsync(list.pages())).toEqual([[pet(3)], [pet(2)]])
  })

  test('omits undefined parameters, and slashes at the end of the base address', async () => {
    const api = await serve(page([]))

    await Array.fromAsync(
      createClient({ ...api, baseUrl: `${api.baseUrl}//` }).pets.list({ status: undefined, limit: 3 }),
    )

    expect(api.requests.map(({ path }) => path)).toEqual(['/v1/pets?limit=3'])
  })
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

    const error = await failureOf(createClient(api).pets.get(1))

    const details = { code: 'not_found', status: 404, requestId: 'abc=', retryAfter: undefined }
    expect({ ...error }).toEqual({ name: 'PetStoreError', ...details })
    expect(String(error)).toBe(`PetStoreError: ${message}`)
  })

  const get = ({ pets }: Client) => pets.get(1)
  const create = ({ pets }: Client) => pets.create(rex)
  const list = ({ pets }: Client) => Array.fromAsync(pets.list())

  test.each<[string, FakeResponse, (client: Client) => Promise<unknown>]>([
    ['the error page of a proxy', html, get],
    ['a sign-in page', { ...html, status: 200 }, get],
    ['other JSON', { status: 403, body: '{"message":"Forbidden"}' }, get],
    ['a number', { status: 200, body: '7' }, get],
    ['nothing', { status: 204 }, get],
    ['an object instead of a list', { status: 200, headers: ID, body: '{"login":"/"}' }, list],
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

  test('when there is no response', async () => {
    const api = await serve('cut')

    const error = await failureOf(createClient({ ...api, attempts: 1 }).pets.get(1))

    expect(error).toMatchObject({ code: 'no_answer', status: 0, message: `No response from ${api.baseUrl}.` })
    expect(error.cause).toBeInstanceOf(TypeError)
  })
})

describe('the API key', () => {
  const apiKey = 'pet_local_secret'

  test.each([301, 302, 303, 307, 308])('does not follow a redirect (%d)', async (status) => {
    const elsewhere = await serve({ status: 200, body: '[]' })
    const api = await serve({ status, headers: { Location: elsewhere.baseUrl } })

    const error = await failureOf(createClient({ ...api, apiKey }).pets.create(rex))

    const message = expect.stringContaining('another address')
    expect(error).toMatchObject({ code: 'unexpected_answer', status, message })
    expect(elsewhere.requests).toEqual([])
    expect(api.requests).toHaveLength(1)
  })

  test.each<Fate>(['cut', 'cutResponse', html, error(503), { status: 302 }])('is in no error: %j', async (fate) => {
    const client = createClient({ ...(await serve(fate)), apiKey, attempts: 1 })

    const error = await failureOf(client.pets.get(1))

    expect(inspect([client, error], { depth: null, showHidden: true })).not.toContain('secret')
  })

  const invalidKeys = ['pet_local_secret\n', 'Bearer pet_local_secret', 'pet_local_secret→', '']
  test.each(invalidKeys)('is refused, and not in the error, if a header cannot hold it: %j', (invalid) => {
    const create = () => createClient({ baseUrl: 'http://127.0.0.1/v1', apiKey: invalid })

    expect(create).toThrow(new TypeError('apiKey must be a string of visible ASCII characters.'))
  })
})

test.each(['/v1', 'localhost:3000/v1', 'file:///v1', ''])('refuses an invalid base address: %j', (baseUrl) => {
  expect(() => createClient({ baseUrl, apiKey: 'k' })).toThrow(TypeError)
})
