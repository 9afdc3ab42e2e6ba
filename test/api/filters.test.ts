import { expect, test } from 'vitest'
import { entries } from '../../shared/contract.ts'
import type { AnyEntry } from '../../shared/pipeline/entry.ts'
import { createdPet, request, sendJson } from '../support/api.ts'

// Resources with different values of each field.
for (const categoryId of [1, 2]) {
  await createdPet({ name: 'Rex', categoryId, status: 'sold' })
  const { id } = await createdPet({ name: 'Rex', categoryId, status: 'available' })
  const { body } = await sendJson('POST', '/store/orders', {}, { petId: id })
  if (categoryId === 2)
    await sendJson('PATCH', `/store/orders/${Object(body).id}`, {}, { complete: true })
}

// Of lists whose items show what they are filtered by: whoever adds one adds no test for it.
const filters = Object.values<AnyEntry>(entries).flatMap(({ path, pages, query }) => {
  const fields = Object(pages).item?.entries ?? {} // An array of objects, by its schema.
  const names = Object.keys(query?.entries ?? {})
  return names.filter((filter) => filter in fields).map((filter) => ({ path, filter }))
})

test.each(filters)('$path has only items with the value of its filter $filter', async (list) => {
  const items = async (query = '') => {
    const { body } = await request({ path: `${list.path}?limit=100${query}` })
    return (body as Record<string, unknown>[]).map((item) => item[list.filter])
  }

  const values = async () => new Set(await items()).size
  const message = `Add a ${list.filter} with another value.`
  await expect.poll(values, { message }).toBeGreaterThan(1)
  // Of an int64 beyond 2^53, which another test may have added, `items` has rounded digits.
  const isExact = (value: unknown) => typeof value !== 'number' || Number.isSafeInteger(value)
  const value = (await items()).find((each) => each !== undefined && isExact(each))

  await expect
    .poll(async () => [...new Set(await items(`&${list.filter}=${value}`))])
    .toEqual([value])
})
