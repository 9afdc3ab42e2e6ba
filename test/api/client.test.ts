import { randomUUID } from 'node:crypto'
import { expect, test, vi } from 'vitest'
import { createClient } from '../../infra/client/client.ts'
import { apiKey, baseUrl } from '../support/api.ts'
import { example, has, type Resource } from '../support/example.ts'

const { parameter, integer, change, remove } = example
const client = createClient({ baseUrl, apiKey })
const filter = { [example.filter.field]: example.filter.value }
const body = () => example.body(`Mia ${randomUUID()}`)
/** An operation that a service may lack. */
const call = (id: string, input: object) => Object(client)[id](input)

test('lists resources across pages, newest first', async () => {
  const [older, newer] = [
    await client[example.create](body()),
    await client[example.create](body()),
  ]
  const listed = async () => {
    const found: Resource[] = []
    for await (const item of client[example.list]({ ...(has.filter && filter), limit: 1 })) {
      if (item.id < older.id) break
      found.push(item)
    }
    // Other tests create some, too.
    return found.filter(({ id }) => id === older.id || id === newer.id)
  }

  // The index follows the table, usually within a second.
  await vi.waitFor(async () => expect(await listed()).toEqual([newer, older]), 30_000)
})

test.runIf(has.integer).each([...Object.values(integer.range ?? [])])(
  'creates a resource with the integer %d exactly',
  async (value) => {
    const given = { ...body(), [integer.field]: value }

    expect(await client[example.create](given)).toMatchObject(given)
  },
)

test.runIf(has.change)('changes a resource', async () => {
  const created = await client[example.create](body())

  const changed = await call(change.operation, { [parameter]: created.id, ...change.body })

  expect(changed).toEqual({ ...created, ...change.body })
})

test.runIf(has.remove)('deletes a resource', async () => {
  const address = { [parameter]: (await client[example.create](body())).id }

  expect(await call(remove.operation, address)).toBeUndefined()
  await expect(call(remove.operation, address)).rejects.toMatchObject({ status: 404 })
})
