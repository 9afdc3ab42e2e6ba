import { describe, expect, test, vi } from 'vitest'
import { baseUrl, call, created, expectCommonHeaders, expectError, type Pet } from '../support/api.ts'

const LIMIT = 'limit must be an integer from 1 to 100, or omitted'
const STATUS = 'status must be one of available, pending, sold, or omitted'
const CURSOR = 'cursor must be the cursor from a Link header, unchanged, or omitted'

const list = async (query: string): Promise<Pet[]> => {
  const { status, body } = await call({ path: `/pets${query}` })
  expect(status).toBe(200)
  return body as Pet[] // What the interface says of a 200; these tests prove it.
}

/** The address of the next page, less the base address. */
const nextOf = async (path: string): Promise<string | undefined> => {
  const { headers } = await call({ path })
  return /^<(.+)>; rel="next"$/.exec(headers.link ?? '')?.[1]?.slice(baseUrl.length)
}

test.each(['', 'status=pending&'])(
  'lists pets that were just added newest first, with the query "%s"',
  async (query) => {
    const older = await created({ name: 'Rex', categoryId: 7, status: 'pending' })
    const newer = await created({ name: 'Tom', categoryId: 8, status: 'pending' })

    // Other tests add pets too. And the index follows the table, usually within a second.
    const ours = async () => (await list(`?${query}limit=100`)).filter(({ id }) => id === older.id || id === newer.id)
    await expect.poll(ours, { timeout: 10_000 }).toEqual([newer, older])
  },
)

test('shows a pet without a status in the list of all, and in no filtered one', async () => {
  const pet = await created({ name: 'Rex', categoryId: 7 })

  await expect.poll(() => list(''), { timeout: 10_000 }).toContainEqual(pet)
  for (const status of ['available', 'pending', 'sold']) {
    expect(await list(`?status=${status}`)).not.toContainEqual(pet)
  }
})

test('answers with a bare array, of 20 pets where no limit is given', async () => {
  await Promise.all(Array.from({ length: 21 }, () => created({ name: 'Rex', categoryId: 7 })))

  await expect.poll(async () => (await list('')).length, { timeout: 10_000 }).toBe(20)
  expectCommonHeaders(await call({ path: '/pets' }))
})

describe('the link to the next page', () => {
  test('keeps every other parameter, known or not', async () => {
    await Promise.all(Array.from({ length: 3 }, () => created({ name: 'Rex', categoryId: 7, status: 'sold' })))

    const next = () => nextOf('/pets?tag=a%26b&limit=1&tag=c&status=sold')

    const expected = /^\/pets\?tag=a%26b&tag=c&limit=1&status=sold&cursor=[\w-]{16}$/
    await expect.poll(next, { timeout: 10_000 }).toMatch(expected)
  })

  test('carries a cursor that is valid with another limit and another filter', async () => {
    // Again when another test has added a pet in between.
    await vi.waitFor(async () => {
      const rex = await created({ name: 'Rex', categoryId: 7, status: 'sold' })
      const tom = await created({ name: 'Tom', categoryId: 7, status: 'available' })
      const kit = await created({ name: 'Kit', categoryId: 7, status: 'sold' })

      const { body, headers } = await call({ path: '/pets?limit=1' })
      const cursor = /cursor=([\w-]+)/.exec(headers.link ?? '')?.[1]

      expect(body).toEqual([kit])
      expect(await list(`?limit=2&cursor=${cursor}`)).toEqual([tom, rex])
      expect(await list(`?limit=1&status=sold&cursor=${cursor}`)).toEqual([rex])
    }, 30_000)
  })
})

test.each(['1', '100'])('takes the limit %s', async (limit) => {
  const { status } = await call({ path: `/pets?limit=${limit}` })

  expect(status).toBe(200)
})

test.each([
  ['limit=0', LIMIT],
  ['limit=101', LIMIT],
  ['limit=-1', LIMIT],
  ['limit=1.5', LIMIT],
  ['limit=abc', LIMIT],
  ['limit=', LIMIT],
  ['limit', LIMIT],
  ['limit=1&limit=2', LIMIT],
  ['status=gone', STATUS],
  ['status=', STATUS],
  ['status=Sold', STATUS],
  ['status=sold&status=sold', STATUS],
  ['cursor=', CURSOR],
  ['cursor=abc', CURSOR],
  ['cursor=AAAAAAAAAAAAAAAA', CURSOR],
  ['limit=0&status=gone&cursor=abc', `${LIMIT}; ${STATUS}; ${CURSOR}`],
])('answers 400 for %s', async (query, rules) => {
  const response = await call({ path: `/pets?${query}` })

  expectError(response, 400, 'bad_request', `${rules}. Give each parameter once.`)
})

test('refuses a cursor that was cut or altered', async () => {
  await created({ name: 'Rex', categoryId: 7 })
  await created({ name: 'Tom', categoryId: 7 })
  await expect.poll(() => nextOf('/pets?limit=1'), { timeout: 10_000 }).toBeDefined()
  const next = (await nextOf('/pets?limit=1')) ?? ''

  const altered = [next.slice(0, -1), `${next}A`, next.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A'))]

  for (const path of altered)
    expectError(await call({ path }), 400, 'bad_request', `${CURSOR}. Give each parameter once.`)
})

test('ignores parameters that it does not know', async () => {
  const { status } = await call({ path: '/pets?offset=3&__proto__=x&limit%5B%5D=4' })

  expect(status).toBe(200)
})
