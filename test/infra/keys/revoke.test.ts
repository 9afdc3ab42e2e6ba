import { expect, test } from 'vitest'
import { CommandError } from '../../../infra/command-line.ts'
import { find } from '../../../shared/data/api-keys.ts'
import { putItem } from '../../support/database.ts'
import { run, runProcess, storedOf, table } from './keys.ts'
import { failure } from './run-command.ts'

test('list shows keys with their state, but neither keys themselves nor digests', async () => {
  const { key, ...issued } = (await run('issue', '--name', 'kiosk')).json
  const old = { keyId: 'key_old', clientId: 'c', name: 'Old', createdAt: '2020' }
  await putItem('apiKeysTable', { digest: 'd1', ...old, expiresAt: 1_600_000_000 })

  const { text, json } = await run('list')

  expect(json).toContainEqual(issued)
  expect(json).toContainEqual({ ...old, expiresAt: '2020-09-13T12:26:40.000Z', state: 'expired' })
  expect(text).toMatch(/^KEY +CLIENT +NAME +CREATED +EXPIRES +STATE$/m)
  expect(text).toMatch(/^key_old +c +Old +2020 +2020-09-13 12:26Z +expired$/m)
  expect(text).toMatch(new RegExp(`^${issued.keyId} +${issued.clientId} +kiosk +\\S+ \\S+ +never +valid$`, 'm'))
  expect(text + JSON.stringify(json)).not.toMatch(/pet_local_|digest|[0-9a-f]{64}/)
})

test('list shows more keys than DynamoDB returns at a time, oldest first', async () => {
  const padding = 'x'.repeat(300_000) // DynamoDB returns 1 MB at a time.
  const ids = Array.from({ length: 10 }, (_, i) => `key_${i}`)
  const many = { clientId: 'c', name: 'Many', padding }
  for (const id of ids)
    await putItem('apiKeysTable', { digest: `many ${id}`, keyId: id, createdAt: `2021-0${id.at(-1)}`, ...many })

  const { json } = await run('list')

  expect(json.filter((key) => Object(key).name === 'Many').map((key) => Object(key).keyId)).toEqual(ids)
  expect((await run('revoke', 'key_9', '--yes')).json).toMatchObject({ keyId: 'key_9' })
})

const unknown = (id: unknown) =>
  new CommandError(`There is no key ${id} in this stage. List the keys with npm run keys -- list.`)

test('revoke deletes the key and no other', async () => {
  const other = (await run('issue', '--name', 'other')).json
  const key = (await run('issue', '--name', 'shop front')).json

  const { json } = await run('revoke', String(key.keyId), '--yes')

  expect(json).toEqual({ keyId: key.keyId, clientId: key.clientId, name: 'shop front' })
  expect(await storedOf(key.keyId)).toBeUndefined()
  expect(await storedOf(other.keyId)).toBeDefined()
  expect(await find(String(key.key))).toBeUndefined()
  await expect(run('revoke', String(key.keyId), '--yes')).rejects.toThrow(unknown(key.keyId))
})

test.each([
  [['rotate', 'key_unknown', '--grace', '1h']],
  [['revoke', 'key_unknown', '--yes']],
  [['revoke', 'key_unknown']],
])('%j reports that there is no such key', async (args) => {
  const before = await table.all()

  await expect(run(...args)).rejects.toThrow(unknown('key_unknown'))
  expect(await table.all()).toEqual(before)
})

test('revoke does nothing without a terminal to confirm on', async () => {
  const keyId = String((await run('issue', '--name', 'shop front')).json.keyId)

  const ran = await runProcess('revoke', keyId)

  expect(ran).toEqual(failure('There is no terminal to confirm on. Add --yes to revoke without asking.'))
  expect(await storedOf(keyId)).toBeDefined()
})
