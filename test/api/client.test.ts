import { randomUUID } from 'node:crypto'
import { expect, test, vi } from 'vitest'
import { createClient } from '../../infra/client/client.ts'
import { apiKey, baseUrl } from '../support/api.ts'
import { example, isChangeable, type Resource } from '../support/example.ts'

const { parameter, integer, range, changes } = example
const client = createClient({ baseUrl, apiKey })
const filter = { [example.filter.field]: example.filter.value }
const body = () => ({ ...example.body(`Mia ${randomUUID()}`), ...filter })

test('lists resources across pages, newest first', async () => {
  const [older, newer] = [
    await client[example.create](body()),
    await client[example.create](body()),
  ]
  const listed = async () => {
    const found: Resource[] = []
    for await (const item of client[example.list]({ ...filter, limit: 1 })) {
      if (item.id < older.id) break
      found.push(item)
    }
    // Other tests create some, too.
    return found.filter(({ id }) => id === older.id || id === newer.id)
  }

  // The index follows the table, usually within a second.
  await vi.waitFor(async () => expect(await listed()).toEqual([newer, older]), 30_000)
})

test.runIf(isChangeable).each(range)(
  'creates a resource with the integer %d exactly, changes and deletes it',
  async (value) => {
    const given = { ...body(), [integer]: value }

    const created = await client[example.create](given)
    const address = { [parameter]: created.id }
    const changed = await client[example.change]({ ...address, ...changes, [integer]: value })

    expect(created).toMatchObject({ id: expect.any(Number), ...given })
    expect(changed).toMatchObject({ id: created.id, ...given, ...changes })
    expect(await client[example.remove](address)).toBeUndefined()
    await expect(client[example.remove](address)).rejects.toMatchObject({
      code: 'not_found',
      status: 404,
    })
  },
)

test('creates one resource for all calls with the same idempotency key, and one for each call without', async () => {
  const [given, idempotencyKey] = [body(), randomUUID()]
  // Code without types can pass null; it means no key.
  const none = { idempotencyKey: null } as unknown as { idempotencyKey: string }

  const calls = [none, none, { idempotencyKey }, { idempotencyKey }].map((it) =>
    client[example.create](given, it),
  )

  const ids = (await Promise.all(calls)).map(({ id }) => id)
  expect(new Set(ids).size).toBe(3)
  expect(ids[3]).toBe(ids[2])
})
