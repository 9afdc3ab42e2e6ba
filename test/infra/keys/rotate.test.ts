import { expect, test } from 'vitest'
import { digestOf } from '../../../shared/model/api-key.ts'
import { keys, keysJson, statusWith, storedItems, storedOf } from './local-stage.ts'

test('rotates: the client keeps its id, and both keys are good during the grace', async () => {
  const old = await keysJson('issue', '--name', 'shop front')
  const fresh = await keysJson('rotate', old.keyId, '--grace', '24h')

  expect(fresh).toMatchObject({ clientId: old.clientId, name: old.name, state: 'valid' })
  expect(fresh.keyId).not.toBe(old.keyId)
  expect([await statusWith(old.key), await statusWith(fresh.key)]).toEqual([200, 200])
  const { expiresAt } = (await storedOf(old.keyId)) ?? {}
  const start = Math.floor(Date.parse(fresh.createdAt) / 1000) + 86_400
  expect(expiresAt).toBeGreaterThanOrEqual(start)
  expect(expiresAt).toBeLessThanOrEqual(Math.floor(Date.now() / 1000) + 86_400)
  const { key, state, ...shown } = old
  const end = new Date(1000 * expiresAt).toISOString()
  expect(fresh.previous).toEqual({ ...shown, state: 'valid', expiresAt: end })
  expect(await storedOf(fresh.keyId)).not.toHaveProperty('expiresAt')
})

test('shows the new key once, in the text for people as well', async () => {
  const old = await keysJson('issue', '--name', 'shop front')
  const { code, stdout, stderr } = await keys('rotate', old.keyId, '--grace', '3h', '--expires-in', '90d')

  const shown = stdout.match(/pet_local_\w+/g) ?? []
  expect({ code, stderr, count: shown.length }).toEqual({ code: 0, stderr: '', count: 1 })
  expect(stdout).toContain(`${old.keyId}, the key before it: expires in 3 hours (`)
  expect(stdout).toContain('State    expires in 90 days (')
  expect((await storedItems()).map(({ digest }) => digest)).toContain(digestOf(shown[0] ?? ''))
})

test('never lets an old key live longer than it would have', async () => {
  const old = await keysJson('issue', '--name', 'shop front', '--expires-in', '1h')
  const fresh = await keysJson('rotate', old.keyId, '--grace', '2h')

  expect(fresh.previous.expiresAt).toBe(old.expiresAt)
  expect(1000 * (await storedOf(old.keyId))?.expiresAt).toBe(Date.parse(old.expiresAt))
})
