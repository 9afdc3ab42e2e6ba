import * as v from 'valibot'
import { expect, test } from 'vitest'
import { entries } from '../../shared/contract.ts'
import { stringifyJson } from '../../shared/model/json.ts'
import { PATH_PARAMETER, partsOf } from '../../shared/pipeline/by-method.ts'
import type { AnyEntry } from '../../shared/pipeline/entry.ts'
import { createdPet, request, sendJson } from '../support/api.ts'

// What each operation and each field must withstand, drawn from the contract: whoever adds one adds
// no test for it.

const ODD_TEXTS = [
  ...['', ' ', '0', '-1', '1.5', '9223372036854775808', 'true', 'null', '[]', '__proto__'],
  ...['x'.repeat(2000), '\u202eRex', 'مرحبا', '犬', '🦦', '\0', "'; --", '{"N":"1"}'],
]
const ODD_VALUES = [
  ...ODD_TEXTS,
  ...['\ud800', 0, -1, 1.5, 1e300, 2n ** 63n, true, false, null, [], [null], {}, { a: [{}] }],
]

const operations = Object.values<AnyEntry>(entries)
const path = (entry: AnyEntry) => entry.path.replaceAll(PATH_PARAMETER, '1')

test.each(
  operations.flatMap(({ method, ...entry }) =>
    Object.keys(entry.body?.entries ?? {}).map((field) => ({ method, ...entry, field })),
  ),
)('$method $path with any $field in its body is no 5xx', async ({ field, ...entry }) => {
  const [example]: readonly unknown[] = v.getExamples(entry.body ?? expect.fail())

  for (const value of ODD_VALUES) {
    const body = stringifyJson({ ...Object(example), [field]: value })
    const { status } = await sendJson(entry.method, path(entry), {}, body)
    expect(status, body).toBeLessThan(500)
  }
})

test.each(
  operations.flatMap((entry) =>
    partsOf(entry)
      .query.flatMap(({ entries }) => Object.keys(entries))
      .map((name) => ({ ...entry, name })),
  ),
)('$method $path with any $name in its query is no 5xx', async ({ name, ...entry }) => {
  for (const text of ODD_TEXTS) {
    const query = new URLSearchParams({ [name]: text })
    const { status } = await request({ method: entry.method, path: `${path(entry)}?${query}` })
    expect(status, `${query}`).toBeLessThan(500)
  }
})

test.each(operations.filter(({ params }) => params))(
  '$method $path with any text in its path is no 5xx',
  async ({ method, body, ...entry }) => {
    const [example]: readonly unknown[] = body ? v.getExamples(body) : []

    for (const text of ODD_TEXTS) {
      const path = entry.path.replaceAll(PATH_PARAMETER, () => encodeURIComponent(text))
      const { status } = await sendJson(method, path, {}, body && stringifyJson(example))
      expect(status, path).toBeLessThan(500)
    }
  },
)

/** Adds resources with different values of each field. */
const addResources = async () => {
  for (const categoryId of [1, 2]) {
    await createdPet({ name: 'Rex', categoryId, status: 'sold' })
    const { id } = await createdPet({ name: 'Rex', categoryId, status: 'available' })
    const { body } = await sendJson('POST', '/store/orders', {}, { petId: id })
    if (categoryId === 2)
      await sendJson('PATCH', `/store/orders/${Object(body).id}`, {}, { complete: true })
  }
}

// Of lists whose items show what they are filtered by.
const filters = operations.flatMap(({ path, pages, query }) => {
  const fields = Object(pages).item?.entries ?? {} // An array of objects, by its schema.
  const names = Object.keys(query?.entries ?? {})
  return names.filter((filter) => filter in fields).map((filter) => ({ path, filter }))
})

test.each(filters)('$path has only items with the value of its filter $filter', async (list) => {
  await addResources()
  const items = async (query = '') => {
    const { body } = await request({ path: `${list.path}?limit=100${query}` })
    return (body as Record<string, unknown>[]).map((item) => item[list.filter])
  }

  const value = (await items()).find((each) => each !== undefined)
  const others = (await items()).filter((each) => each !== value)

  expect(others, `Add a ${list.filter} with another value.`).not.toEqual([])
  await expect
    .poll(async () => [...new Set(await items(`&${list.filter}=${value}`))])
    .toEqual([value])
})
