import { join } from 'node:path'
import { Level } from 'level'
import { expect, test } from 'vitest'
import { send } from '../../support/http.ts'
import { createUntilKilled, headersOf, listAll } from './catalogue.ts'
import { start, temporaryFolder } from './command.ts'

test('has every pet that was answered with 201, however often the server was killed', async () => {
  const folder = temporaryFolder()
  const answered: unknown[] = []
  for (const enough of [1, 25, 100]) {
    answered.push(...(await createUntilKilled(await start(['--data', folder]), enough)))
  }

  const server = await start(['--data', folder])
  const listed = await listAll(server)
  const found = await Promise.all(
    listed.map(
      async ({ id }) => (await send(server.baseUrl, { path: `/pets/${id}`, headers: headersOf(server) })).body,
    ),
  )

  expect(answered.length).toBeGreaterThanOrEqual(126)
  expect(listed).toEqual(expect.arrayContaining(answered))
  expect(found).toEqual(expect.arrayContaining(answered))
})

test('starts where a server was killed while it made the tables', async () => {
  const folder = temporaryFolder()
  const server = await start(['--data', folder])
  await server.stop('SIGKILL')
  const store = new Level<string, object>(folder, { valueEncoding: 'json' })
  const made = await store.get('table~PetStoreLocal-Pets')
  await store.put('table~PetStoreLocal-Pets', { ...made, TableStatus: 'CREATING' })
  await store.close()

  const next = await start(['--data', folder])

  expect(await listAll(next)).toEqual([])
})

test('makes the folder, and keeps the pets in it', async () => {
  const folder = join(temporaryFolder(), 'pets')
  const first = await start(['--data', folder])
  const [pet] = await createUntilKilled(first, 1)

  const second = await start(['--data', folder])

  expect(await listAll(second)).toContainEqual(pet)
  expect(second.output()).toContain(`(${folder})`)
})
