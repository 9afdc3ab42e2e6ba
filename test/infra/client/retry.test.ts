import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { type Client, createClient, etagOf } from '../../../infra/client/client.ts'
import { requestOf } from '../../../infra/client/request.ts'
import { sender } from '../../../infra/client/send.ts'
import { error, type Fate, serve } from '../../support/fake-api.ts'

const mia = { name: 'Mia', categoryId: 2n ** 63n - 1n }
const created = { status: 201, body: '{"id":1,"name":"Mia","categoryId":9223372036854775807}' }

describe('the client retries', () => {
  test.each<[string, Fate]>([
    ['a broken connection', 'cut'],
    ['a broken response', 'cutResponse'],
    ['a 429', error(429, { 'Retry-After': '0' })],
    ['a 502', error(502)],
    ['a 503', error(503, { 'Retry-After': '0' })],
    ["a proxy's 503", { status: 503, headers: { 'Content-Type': 'text/html' }, body: '<html>Busy</html>' }],
  ])('a create after %s with the same idempotency key', async (_, fate) => {
    const api = await serve(fate, created)

    const pet = await createClient(api).createPet(mia)

    expect(pet).toEqual({ id: 1, ...mia })
    const [first, again, ...more] = api.requests
    const body = '{"name":"Mia","categoryId":9223372036854775807}'
    expect(again).toMatchObject({ method: 'POST', path: '/v1/pets', body })
    expect(again?.headers).toMatchObject({ 'content-type': 'application/json', authorization: `Bearer ${api.apiKey}` })
    expect(again?.headers['idempotency-key']).toMatch(/^[0-9a-f]{32}$/)
    expect([first?.body, first?.headers['idempotency-key']]).toEqual([body, again?.headers['idempotency-key']])
    expect(more).toEqual([])
  })

  test.each([400, 401, 404, 408, 413, 500])('nothing after a %d', async (status) => {
    const api = await serve(error(status))

    const call = createClient(api).createPet(mia)

    await expect(call).rejects.toMatchObject({ code: 'made_up', message: 'Made by the test.', status })
    expect(api.requests).toHaveLength(1)
  })

  test.each<[string, number, Fate]>([
    ['POST', 1, 'cut'],
    ['POST', 2, error(429)],
    ['PUT', 2, 'cut'],
  ])('a %s without an idempotency key if it is safe: %d requests for %j', async (method, requests, fate) => {
    const api = await serve(fate, { status: 204 })
    const route = { method, path: '/a', query: [], headers: [], hasBody: false, status: 204, isList: false, flags: [] }

    await Promise.allSettled([sender(api)(requestOf(route, {}), {})])

    expect(api.requests).toHaveLength(requests)
  })

  test('four times, after the time limit of each attempt', async () => {
    const sent = vi.fn(fetch)
    const api = await serve('silence')

    const call = createClient({ ...api, fetch: sent, timeoutSeconds: 0.05 }).createPet(mia)

    const message = `No response from ${api.baseUrl}: timeout after 0.05 seconds.`
    await expect(call).rejects.toMatchObject({ code: 'no_answer', status: 0, message })
    expect(sent).toHaveBeenCalledTimes(5)
  })

  test.each([
    [undefined, 29],
    [Number.POSITIVE_INFINITY, 3600],
  ])('not before the time limit: with %s, a response may take %d seconds', async (timeoutSeconds, seconds) => {
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
    const slow: typeof fetch = async (_, init) => {
      await vi.advanceTimersByTimeAsync(seconds * 1000)
      init?.signal?.throwIfAborted()
      return Response.json({ id: 1 }, { status: 201 })
    }
    const client = createClient({ baseUrl: 'http://a', apiKey: 'k', fetch: slow, attempts: 1, timeoutSeconds })

    const pet = await client.createPet(mia)

    expect(pet).toEqual({ id: 1 })
    expect(vi.getTimerCount()).toBe(0) // Otherwise the program would not end.
  })
})

test('sends the tag of what was returned', async () => {
  const tags = ['"a"', '"b"'].map((ETag) => ({ ETag }))
  const api = await serve({ ...created, headers: tags[0] }, { ...created, status: 200, headers: tags[1] })
  const client = createClient(api)

  const pet = await client.createPet(mia)
  const changed = await client.updatePet({ petId: pet.id, name: 'Tom' }, { ifMatch: etagOf(pet) })

  expect(api.requests.map(({ headers }) => headers['if-match'])).toEqual([undefined, '"a"'])
  expect(etagOf(changed)).toBe('"b"')
  expect(() => etagOf({ ...pet })).toThrow(TypeError)
})

const remove = (client: Client) => client.deletePet({ petId: 1 })
const removeIf = (client: Client) => client.deletePet({ petId: 1 }, { ifMatch: '"a"' })
const change = (client: Client) => client.updatePet({ petId: 1, name: 'Tom' }, { ifMatch: '"a"' })
const notFound = { status: 404, body: '{"code":"not_found","message":"No pet has the id 1.","status":404}' }
const changedSince = { status: 412, body: '{"code":"precondition_failed","message":"Changed since.","status":412}' }
const proxys404 = { status: 404, body: '<html>Not here</html>' }

test.each<[string, string, (client: Client) => Promise<unknown>, ...Fate[]]>([
  ['a delete succeeds', 'no response and a 404', remove, 'cut', notFound],
  ['a delete succeeds', 'a 504, a 429 and a 404', remove, error(504), error(429), notFound],
  ['a delete throws not_found', 'a 404 at once', remove, notFound],
  ['a delete throws not_found', 'a 404 after a 429, which deletes nothing', remove, error(429), notFound],
  ['a delete throws unexpected_answer', "no response and a proxy's 404", remove, 'cut', proxys404],
  ['a delete with a tag throws not_found', 'a 404 at once', removeIf, notFound],
  ['a delete with a tag throws unknown_outcome', 'no response and a 404', removeIf, 'cut', notFound],
  ['a change throws precondition_failed', 'a 412 at once', change, changedSince],
  ['a change throws precondition_failed', 'a 429 and a 412', change, error(429), changedSince],
  ['a change throws unknown_outcome', 'no response and a 412', change, 'cut', changedSince],
])('%s after %s', async (expected, _, call, ...fates) => {
  const api = await serve(...fates)

  const outcome = await call(createClient(api))
    .then(() => 'succeeds')
    .catch(({ code }) => `throws ${code}`)

  expect(expected).toContain(outcome)
  expect(api.requests).toHaveLength(fates.length)
})

test.each<[string, Record<string, string>, number | undefined, number]>([
  ['seconds that exceed the limit at once', { 'Retry-After': '30' }, 30, 1],
  ['seconds that exceed it in total', { 'Retry-After': '1' }, 1, 2],
  ['no time', { 'Retry-After': 'soon' }, undefined, 3],
])('waits as Retry-After says, within a limit: %s', async (_, headers, retryAfter, requests) => {
  const api = await serve(error(503, headers))

  const startedAt = performance.now()
  const call = createClient({ ...api, attempts: 3, maxWaitSeconds: 1.9 }).createPet(mia)

  await expect(call).rejects.toMatchObject({ status: 503, requestId: 'abc=', retryAfter })
  expect(api.requests).toHaveLength(requests)
  // No timer fires earlier.
  expect(performance.now() - startedAt).toBeGreaterThanOrEqual((requests - 1) * (retryAfter ?? 0) * 999)
})

describe('a signal ends a call', () => {
  const reason = new Error('The test has seen enough.')

  test('while it waits for the response', async () => {
    const api = await serve('silence')
    const controller = new AbortController()

    const read = createClient({ ...api, attempts: 1 }).createPet(mia, { signal: controller.signal })
    await expect.poll(() => api.requests.length).toBe(1)
    controller.abort(reason)

    await expect(read).rejects.toBe(reason)
    expect(api.requests).toHaveLength(1)
  })

  test('while it waits to retry, and before it is sent', async () => {
    const api = await serve(error(503, { 'Retry-After': '3600' }))
    const controller = new AbortController()
    const onResponse = () => void setTimeout(() => controller.abort(reason))

    const options = { signal: controller.signal, onResponse }
    const created = createClient({ ...api, maxWaitSeconds: 9999 }).createPet(mia, options)

    await expect(created).rejects.toBe(reason)
    await expect(createClient(api).createPet(mia, { signal: controller.signal })).rejects.toBe(reason)
    expect(api.requests).toHaveLength(1)
  })
})
