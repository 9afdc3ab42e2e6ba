import { inspect } from 'node:util'
import { gzipSync } from 'node:zlib'
import * as v from 'valibot'
import { describe, expect, test } from 'vitest'
import { type Client, createClient, ServiceError } from '../../../infra/client/client.ts'
import { routeOf } from '../../../infra/client/operations.ts'
import { requestOf } from '../../../infra/client/request.ts'
import { contract } from '../../../shared/contract.ts'
import { newApiKey } from '../../../shared/model/api-key.ts'
import { Int64Text } from '../../../shared/model/int64.ts'
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

  test.each([
    ['has the cursor of its own page', page([2], linkTo('?cursor=abc'))],
    ['follows an empty page', page([], linkTo('?cursor=def'))],
    ['has a cursor that is not UTF-8', page([2], linkTo('?cursor=%E0%A4%A'))],
    ['has no cursor', page([2], linkTo('?limit=2'))],
  ])('ends with an error when the link to the next page %s', async (_, second) => {
    const api = await serve(page([4, 3], linkTo('?cursor=abc')), second)

    const error = await failureOf(createClient(api).listPets().toArray({ max: 9 }))

    const message = 'The link to the next page is invalid. Check baseUrl and any proxy.'
    expect(error).toMatchObject({ code: 'unexpected_answer', status: 200, message })
    expect(api.requests).toHaveLength(2)
  })

  // With a parser that is not linear, these would take hours.
  test.each(['<', '>', ',', ';', ' ', '"', '; ', '<?cursor=', '; rel=', '>; rel="next', '%'])(
    'reads 4 MB of %j as a Link header',
    async (part) => {
      const Link = `<?cursor=a${part.repeat(4e6 / part.length)}`
      const fetch = async () => Response.json([], { headers: { Link } })
      const list = createClient({ baseUrl: 'http://a', apiKey: 'k', fetch }).listPets()

      const outcome = await list.toArray().catch(({ code }) => code)

      expect(outcome).toBeOneOf([[], 'unexpected_answer'])
    },
  )

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

test('sends each value of a list, exact digits, and headers', () => {
  const entry = {
    ...contract.listPets,
    path: '/cats/{id}',
    params: v.object({ id: Int64Text }),
    query: v.object({ tag: v.array(v.string()), max: v.optional(v.string()) }),
    headers: v.object({ 'Accept-Language': v.string() }),
  } as const
  const input = { id: 2n ** 53n, tag: ['a&b', 'c'], max: undefined, 'Accept-Language': 'de' }

  const { path, init } = requestOf(routeOf(entry), input)

  expect([path, ...init.headers]).toEqual(['/cats/9007199254740992?tag=a%26b&tag=c', ['accept-language', 'de']])
  // @ts-expect-error: `id` stands in two parts, and a method takes both together.
  routeOf({ ...entry, query: v.object({ id: v.string() }) })
})

type Refused = [message: string, type: unknown, call: (client: Client) => Promise<unknown>]
const ROUNDED = 'may already have been rounded. Pass an integer beyond 2^53 - 1 as a bigint.'
const PATH = 'petId must not be empty, "." or "..", which address other paths.'
const KEY = 'idempotencyKey must be a string of visible ASCII characters.'
const keyed = (idempotencyKey: string) => (client: Client) => client.createPet(rex, { idempotencyKey })
const deleted = (petId: unknown) => (client: Client) => client.deletePet({ petId: petId as number })

test.each<Refused>([
  [`${2 ** 53} ${ROUNDED}`, RangeError, deleted(2 ** 53)],
  [`-${2 ** 53} ${ROUNDED}`, RangeError, (client) => client.listPets({ limit: -(2 ** 53) }).toArray()],
  [`1e+300 ${ROUNDED}`, RangeError, (client) => client.updatePet({ petId: 1, categoryId: 1e300 })],
  ...['', '.', '..', undefined].map((petId): Refused => [PATH, TypeError, deleted(petId)]),
  ...['', 'a b', ' a', 'a\nb', 'é', '犬'].map((key): Refused => [KEY, TypeError, keyed(key)]),
])('sends nothing that would be read differently: %s', async (message, type, call) => {
  const api = await serve('cut')

  const error: unknown = await call(createClient(api)).catch((thrown) => thrown)

  expect(error).toBeInstanceOf(type)
  expect(error).toHaveProperty('message', message)
  expect(api.requests).toEqual([])
})

const failureOf = async (call: Promise<unknown>): Promise<ServiceError> => {
  const error: unknown = await call.catch((thrown) => thrown)
  if (!(error instanceof ServiceError)) throw new Error('The call did not throw a ServiceError.', { cause: error })
  return error
}

const html: FakeResponse = { status: 404, headers: { 'Content-Type': 'text/html' }, body: '<html>Not here</html>' }
const bomb = { status: 200, headers: { 'Content-Encoding': 'gzip' }, body: gzipSync(`[${' '.repeat(10_000_000)}]`) }
const create = (client: Client) => client.createPet(rex)
const list = (client: Client) => client.listPets().toArray({ max: 1 })

test.each<[string, Fate, number, (client: Client) => Promise<unknown>]>([
  ['the error page of a proxy', html, 404, create],
  ['other JSON', { status: 403, body: '{"message":"Forbidden"}' }, 403, create],
  ['nothing', { status: 201 }, 201, create],
  ['an object instead of a list', { status: 200, body: '{"login":"/"}' }, 200, list],
  ['a list instead of a pet', { status: 201, body: '[]' }, 201, create],
  ['the success of another operation', { status: 200, body: '{"login":"/"}' }, 200, create],
  ['without end', 'endless', 200, create],
  ['a small response that is large when it is decompressed', bomb, 200, list],
])('says that a response is not from the service: %s', async (_, response, status, call) => {
  const api = await serve(response)

  const error = await failureOf(call(createClient(api)))

  const message = `The response (${status}) is not from the API. Check baseUrl and any proxy. Redirects are not followed.`
  expect(error).toMatchObject({ code: 'unexpected_answer', status, message })
  expect(api.requests).toHaveLength(1)
})

describe('the API key', () => {
  const apiKey = newApiKey('local')
  const body = JSON.stringify({ code: apiKey, message: apiKey })
  const echoed = { status: 400, headers: { 'X-Request-Id': apiKey }, body }

  test('goes to no other address, because a redirect is not followed', async () => {
    const elsewhere = await serve({ status: 200, body: '[]' })
    const api = await serve({ status: 307, headers: { Location: elsewhere.baseUrl } })

    const error = await failureOf(createClient({ ...api, apiKey }).createPet(rex))

    const message = expect.stringContaining('Redirects are not followed.')
    expect(error).toMatchObject({ code: 'unexpected_answer', status: 307, message })
    expect([api.requests.length, elsewhere.requests.length]).toEqual([1, 0])
  })

  const fates: Fate[] = ['cut', 'cutResponse', 'echo', html, error(503), { status: 302 }, echoed]
  test.each(fates)('is in no error: %j', async (fate) => {
    const client = createClient({ ...(await serve(fate)), apiKey, attempts: 1 })

    const error = await failureOf(client.createPet(rex))

    expect(inspect([client, error], { depth: null, showHidden: true })).not.toContain(apiKey)
  })

  const invalidKeys = [`${apiKey}\n`, `Bearer ${apiKey}`, `${apiKey}→`, '']
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

  const error = await failureOf(createClient(api).createPet(rex, { onResponse }))

  expect(seen).toEqual([503, 404].map((status) => [status, 'abc']))
  const properties = { code: 'not_found', status: 404, requestId: 'abc', retryAfter: 0 }
  const json = { name: 'ServiceError', message: 'No pet has the id 1.', ...properties }
  expect(JSON.parse(JSON.stringify(error))).toEqual(json)
})
