import { beforeAll, expect, test, vi } from 'vitest'
import type { Pet } from '../../shared/pets/pet.ts'
import { baseUrl, call, created, expectCommonHeaders, expectError } from '../support/api.ts'

const STATUSES = ['available', 'pending', 'sold', undefined]

/** A page, and the path of the next one. */
const pageAt = async (path: string): Promise<{ pets: Pet[]; next: string | undefined }> => {
  const { status, headers, body } = await call({ path })
  expect(status).toBe(200)
  expect(body).toEqual(expect.any(Array))
  const next = /^<(.+)>; rel="next"$/.exec(headers.link ?? '')?.[1]?.slice(baseUrl.length)
  return { pets: body as Pet[], next } // As the interface says; these tests prove it.
}

/** The pages from `path` to the pet with the id `oldest`. Before each page, it calls `meanwhile`. */
const walk = async (path: string, oldest: number, meanwhile = async () => {}): Promise<Pet[][]> => {
  await meanwhile()
  const { pets, next } = await pageAt(path)
  const isLast = next === undefined || pets.some(({ id }) => id <= oldest)
  return [pets, ...(isLast ? [] : await walk(next, oldest, meanwhile))]
}

/** 120 pets, newest first, of every status. Other tests add pets at the same time. */
let catalog: Pet[]
let oldest: number

beforeAll(async () => {
  const pets = Array.from({ length: 120 }, (_, i) => {
    const status = STATUSES[i % STATUSES.length]
    return created({ name: `Rex ${i}`, categoryId: i, ...(status && { status }) })
  })
  catalog = (await Promise.all(pets)).sort((a, b) => b.id - a.id)
  oldest = catalog.at(-1)?.id ?? 0
  // The index follows the table, usually within a second.
  const listed = async () => (await walk('/pets?limit=100', oldest)).flat()
  await vi.waitFor(async () => expect(await listed()).toEqual(expect.arrayContaining(catalog)), 30_000)
})

test('returns an array of 20 pets if there is no limit', async () => {
  const response = await call({ path: '/pets' })

  expect(response.status).toBe(200)
  expect(response.body).toHaveLength(20)
  expectCommonHeaders(response)
})

test.each([
  [undefined, 17],
  ['pending', 20],
  ['sold', 3],
])('the links lead through all pets of status %s, %d per page, each once and newest first', async (status, limit) => {
  const ofStatus = { ...(status && { status }) }
  const query = new URLSearchParams({ limit: `${limit}`, ...ofStatus })
  const addMore = async () => void (await created({ name: 'Late', categoryId: 1, ...ofStatus }))

  const pages = await walk(`/pets?${query}`, oldest, addMore)

  const seen = pages.flat()
  const ids = seen.map(({ id }) => id)
  const isOurs = ({ id }: Pet) => catalog.some((pet) => pet.id === id)
  expect(Math.max(...pages.map(({ length }) => length))).toBeLessThanOrEqual(limit)
  expect(seen.filter(isOurs)).toEqual(catalog.filter((pet) => status === undefined || pet.status === status))
  expect(ids).toEqual([...new Set(ids)].sort((a, b) => b - a))
  if (status) expect(new Set(seen.map((pet) => pet.status))).toEqual(new Set([status]))
})

// More queries are in properties.test.ts.
test('returns 400 with the rules for an invalid query', async () => {
  const response = await call({ path: '/pets?limit=0&status=gone&cursor=abc' })

  const limit = 'limit must be an integer from 1 to 100, or omitted'
  const status = 'status must be one of available, pending, sold, or omitted'
  const cursor = 'cursor must be the cursor from a Link header, unchanged, or omitted'
  expectError(response, 400, 'bad_request', `${limit}; ${status}; ${cursor}.`)
})
