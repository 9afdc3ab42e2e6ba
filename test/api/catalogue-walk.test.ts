import { beforeAll, expect, test, vi } from 'vitest'
import { baseUrl, call, created, type Pet } from '../support/api.ts'

const STATUSES = ['available', 'pending', 'sold', undefined]
let catalogue: Pet[]

beforeAll(async () => {
  catalogue = []
  for (let i = 0; i < 250; i += 10) {
    const pets = Array.from({ length: 10 }, (_, j) => ({
      ...withStatus(i + j),
      name: `Rex ${i + j}`,
      categoryId: i + j,
    }))
    catalogue.push(...(await Promise.all(pets.map(created))))
  }
  catalogue.sort((a, b) => b.id - a.id)
  // The index follows the table, usually within a second.
  const newest = catalogue.slice(0, 10)
  const firstPage = async () => (await call({ path: '/pets?limit=100' })).body
  await vi.waitFor(async () => expect(await firstPage()).toEqual(expect.arrayContaining(newest)), 30_000)
})

const withStatus = (i: number): { status?: string } => {
  const status = STATUSES[i % STATUSES.length]
  return status ? { status } : {}
}

/** Goes from page to page, as far as the oldest pet of the catalogue; before each page, another pet is added. */
const walk = async (status: string | undefined, limit: number): Promise<Pet[]> => {
  const seen: Pet[] = []
  const oldest = catalogue.at(-1)?.id ?? 0
  let path: string | undefined = `/pets?limit=${limit}${status ? `&status=${status}` : ''}`
  while (path !== undefined && (seen.at(-1)?.id ?? Number.POSITIVE_INFINITY) > oldest) {
    await created({ name: 'Late', categoryId: 1, ...(status && { status }) })
    const { body, headers } = await call({ path })
    expect((body as Pet[]).length).toBeLessThanOrEqual(limit)
    seen.push(...(body as Pet[])) // What the interface says of a 200.
    path = /^<(.+)>; rel="next"$/.exec(headers.link ?? '')?.[1]?.slice(baseUrl.length)
  }
  return seen
}

test.each([
  [undefined, 17],
  [undefined, 100],
  ['available', 7],
  ['pending', 20],
  ['sold', 1],
])('a walk through the pets of status %s by pages of %d meets each once, newest first', async (status, limit) => {
  const seen = await walk(status, limit)

  const isOurs = ({ id }: Pet) => catalogue.some((pet) => pet.id === id)
  expect(seen.filter(isOurs)).toEqual(catalogue.filter((pet) => status === undefined || pet.status === status))
})

test('a walk meets nothing twice, and only what it asked for', async () => {
  const seen = await walk('sold', 9)

  expect(seen.map(({ id }) => id)).toEqual([...new Set(seen.map(({ id }) => id))].sort((a, b) => b - a))
  expect(new Set(seen.map(({ status }) => status))).toEqual(new Set(['sold']))
})
