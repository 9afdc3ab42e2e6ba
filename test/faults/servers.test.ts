import { expect, test } from 'vitest'
import { example } from '../support/example.ts'
import { type LocalServer, listAll } from '../support/server.ts'
import { killServers, type Sequence, storedIn } from './killed-servers.ts'

const { table, path, int64, body } = example
const { field, value } = example.filter

const isDeleted = (number: number): boolean => number % 2 === 0

const sequence: Sequence = (number, [created]) => {
  const name = `rex-${number}`
  const one = `${path}/${Object(created?.body).id}`
  const create = { method: 'POST', path, headers: { 'Idempotency-Key': name }, body: JSON.stringify(body(name)) }
  const change = { method: 'PATCH', path: one, body: JSON.stringify({ [int64]: 8, [field]: value }) }
  return [
    { ...create, statuses: [201] },
    { ...change, statuses: [200] },
    ...(isDeleted(number) ? [{ method: 'DELETE', path: one, statuses: [204, 404] }] : []),
  ]
}

/** Expects that both lists have the resources as they are stored, also those whose last change got no response. */
const expectListsToAgree = async (server: LocalServer): Promise<void> => {
  const [listed, filtered] = [await listAll(server), await listAll(server, `&${field}=${value}`)]
  expect(await storedIn(server, table)).toMatchObject(listed)
  expect(filtered).toEqual(listed.filter(({ [field]: found }) => found === value))
}

test('servers that are killed create, change and delete each resource once, and lose none', async () => {
  const { server, begun } = await killServers(sequence, expectListsToAgree)

  const left = begun.filter((_, number) => !isDeleted(number)).map(([, changed]) => changed?.body as { id: number })
  expect(await listAll(server)).toEqual(left.sort((a, b) => b.id - a.id))
})
