import { expect, test } from 'vitest'
import { digestOf, isApiKey } from '../../../shared/model/api-key.ts'
import { keys, keysJson, statusWith, storedItems } from './local-stage.ts'

const keyId = expect.stringMatching(/^key_[0-9a-f]{16}$/)
const clientId = expect.stringMatching(/^client_[0-9a-f]{16}$/)
const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
const KEY = /pet_local_[0-9A-Za-z]+/g

test('issues a key that the API takes, shows it once, and stores its digest alone', async () => {
  const { code, stdout, stderr } = await keys('issue', '--name', 'shop front')

  const [key = '', ...others] = stdout.match(KEY) ?? []
  expect({ code, stderr, others }).toEqual({ code: 0, stderr: '', others: [] })
  expect(isApiKey(key, 'local')).toBe(true)
  expect(await statusWith(key)).toBe(200)
  const items = await storedItems()
  expect(items).toContainEqual({ digest: digestOf(key), keyId, clientId, name: 'shop front', createdAt: time })
  expect(JSON.stringify(items)).not.toMatch(KEY)
})

test('issues a key that expires, and tells scripts all of it', async () => {
  const issued = await keysJson('issue', '--name', 'till 2', '--expires-in', '90d')

  expect(issued).toEqual({
    key: expect.stringMatching(KEY),
    keyId,
    clientId,
    name: 'till 2',
    createdAt: time,
    expiresAt: time,
    state: 'valid',
  })
  const stored = (await storedItems()).find((item) => item.keyId === issued.keyId)
  expect(stored?.expiresAt).toBe(Math.floor(Date.parse(issued.createdAt) / 1000) + 90 * 86_400)
  expect(Date.parse(issued.expiresAt)).toBe(1000 * stored?.expiresAt)
})

test('gives each key an id and a client of its own', async () => {
  const issued = [await keysJson('issue', '--name', 'a'), await keysJson('issue', '--name', 'a')]

  expect(new Set(issued.flatMap(({ key, keyId, clientId }) => [key, keyId, clientId])).size).toBe(6)
})
