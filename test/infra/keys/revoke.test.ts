import { expect, test } from 'vitest'
import { keys, keysJson, statusWith, storedItems, storedOf } from './local-stage.ts'
import { failure } from './run-command.ts'

const UNKNOWN = 'There is no key key_0 in this stage. List them with npm run keys -- list.'

test('revokes: the key is gone from the table, and others stay', async () => {
  const other = await keysJson('issue', '--name', 'other')
  const key = await keysJson('issue', '--name', 'shop front')

  const revoked = await keysJson('revoke', key.keyId, '--yes')

  expect(revoked).toEqual({ keyId: key.keyId, clientId: key.clientId, name: 'shop front' })
  expect(await storedOf(key.keyId)).toBeUndefined()
  expect(await storedOf(other.keyId)).toBeDefined()
  // The API has not seen the key before, so it does not remember it.
  expect(await statusWith(key.key)).toBe(401)
  expect(await keys('revoke', key.keyId, '--yes')).toEqual(failure(UNKNOWN.replace('key_0', key.keyId)))
})

test('revokes nothing where nobody is there to be asked', async () => {
  const { keyId } = await keysJson('issue', '--name', 'shop front')

  const ran = await keys('revoke', keyId)

  expect(ran).toEqual(failure('Nobody is there to ask. Say --yes to revoke without asking.'))
  expect(await storedOf(keyId)).toBeDefined()
})

test.each([[['rotate', 'key_0', '--grace', '1h']], [['revoke', 'key_0', '--yes']], [['revoke', 'key_0']]])(
  'says that there is no such key: %j',
  async (args) => {
    const before = await storedItems()

    expect(await keys(...args)).toEqual(failure(UNKNOWN))
    expect(await storedItems()).toEqual(before)
  },
)
