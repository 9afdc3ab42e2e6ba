import fc from 'fast-check'
import { expect, test } from 'vitest'
import { call, create } from '../support/api.ts'
import type { Received } from '../support/http.ts'

const RUNS = { numRuns: 300 }

const isOneOf = (statuses: number[], { status }: Received): void => expect(statuses).toContain(status)

const expectErrorBody = ({ status, body }: Received): void => {
  expect(body).toEqual({ code: expect.stringMatching(/^[a-z_]+$/), message: expect.stringMatching(/\S/), status })
}

// JSON text, so that numbers are written as they are, however long.
const number = fc.oneof(
  fc.bigInt({ min: -(2n ** 65n), max: 2n ** 65n }).map(String),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
  fc
    .tuple(fc.bigInt({ min: 0n, max: 10n ** 20n }), fc.nat(9), fc.integer({ min: -30, max: 30 }))
    .map(([a, b, e]) => `${a}.${b}e${e}`),
)
const name = fc.string({ unit: 'binary', maxLength: 1100 }).map((text) => JSON.stringify(text))
const status = fc.constantFrom('"available"', '"pending"', '"sold"', '"gone"', 'null')
const anyJson = fc.json()

const pet = fc
  .record(
    {
      name: fc.oneof({ weight: 4, arbitrary: name }, anyJson),
      categoryId: fc.oneof({ weight: 4, arbitrary: number }, anyJson),
      status: fc.oneof({ weight: 4, arbitrary: status }, anyJson),
      other: anyJson,
    },
    { requiredKeys: [] },
  )
  .map((fields) => `{${Object.entries(fields).map(([key, value]) => `"${key}":${value}`)}}`)

test('any JSON body is either taken, and comes back exactly, or gets a 4xx with the Error body', async () => {
  await fc.assert(
    fc.asyncProperty(fc.oneof({ weight: 9, arbitrary: pet }, anyJson), async (body) => {
      const added = await create(body)
      if (added.status !== 201) {
        isOneOf([400, 413], added)
        return expectErrorBody(added)
      }
      const sent = JSON.parse(body)
      const read = await call({ path: `/pets/${(added.body as { id: number }).id}` })

      expect(added.body).toMatchObject({ name: sent.name, ...(sent.status && { status: sent.status }) })
      expect(Object.keys(added.body ?? {})).toEqual([
        'id',
        'name',
        'categoryId',
        ...('status' in sent ? ['status'] : []),
      ])
      expect(read.text).toBe(added.text)
    }),
    RUNS,
  )
})

test('any int64 comes back digit for digit', async () => {
  await fc.assert(
    fc.asyncProperty(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), async (categoryId) => {
      const added = await create(`{"name":"Rex","categoryId":${categoryId}}`)

      expect(added.text).toMatch(new RegExp(`"categoryId":${categoryId}\\}$`))
    }),
    RUNS,
  )
})

test('any query is either answered with a list or gets a 400 with the Error body', async () => {
  const value = fc.oneof(fc.string({ unit: 'binary' }), fc.integer().map(String), fc.constantFrom('sold', 'available'))
  const key = fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom('limit', 'status', 'cursor') },
    fc.string({ unit: 'binary' }),
  )
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(key, value), { maxLength: 4 }), async (pairs) => {
      const response = await call({ path: `/pets?${new URLSearchParams(pairs)}` })

      isOneOf([200, 400], response)
      if (response.status === 400) expectErrorBody(response)
      else expect(response.body).toEqual(expect.any(Array))
    }),
    RUNS,
  )
})

test('any id is answered with 200 or 404', async () => {
  const id = fc.oneof(fc.bigInt().map(String), fc.string({ unit: 'binary', minLength: 1 }).map(encodeURIComponent))
  await fc.assert(
    fc.asyncProperty(id, async (petId) => {
      const response = await call({ path: `/pets/${petId}` })

      isOneOf([200, 404], response)
      if (response.status === 404) expectErrorBody(response)
    }),
    RUNS,
  )
})
