import { expect, test } from 'vitest'
import { CommandError } from '../../../infra/commands/command-line.ts'
import { KeyTable } from '../../../infra/commands/key-table.ts'
import { rotate } from '../../../infra/commands/keys.ts'
import { find, type StoredApiKey } from '../../../shared/data/api-keys.ts'
import { digestOf } from '../../../shared/model/api-key.ts'
import { at, NOW } from '../../support/clock.ts'
import { once, proxy } from '../../support/database.ts'
import { databaseResponses, lostResponse } from '../../support/fault-proxy.ts'
import { deployment, runProcess, storedOf, storeNewKey, table } from './key-database.ts'

const newReader = (expiresIn?: number) => storeNewKey({ scopes: ['pets:read'], expiresIn })

/** Rotates a key. Returns what scripts get. */
const rotated = async (keyId: string, grace: number) => Object((await rotate(table, keyId, { grace })).json)

test('issues a new key with the same scopes to the client, shows it once, and lets the old key expire', async () => {
  const { stored: old } = await newReader(90 * 86_400)
  const { clientId, name, scopes, createdAt } = old

  const { text, json } = await rotate(table, old.keyId, { grace: 3 * 3600, expiresIn: 90 * 86_400 })

  const { key, keyId } = Object(json)
  const common = { clientId, name, scopes, createdAt }
  expect(json).toEqual({
    ...{ ...common, key, keyId, expiresAt: '2027-02-18T12:00:00.000Z', state: 'valid' },
    previous: { ...common, keyId: old.keyId, expiresAt: '2026-11-20T15:00:00.000Z', state: 'valid' },
  })
  expect(text.split(key)).toHaveLength(2)
  expect(text).toContain('\nExpires  2027-02-18 12:00Z\n')
  expect(text).toContain(`The previous key, ${old.keyId}, expires: 2026-11-20 15:00Z.`)
  expect((await table.all()).filter((key) => key.clientId === clientId)).toEqual(
    expect.arrayContaining([
      { ...old, expiresAt: NOW / 1000 + 3 * 3600 },
      { ...common, keyId, digest: digestOf(key), expiresAt: NOW / 1000 + 90 * 86_400 },
    ]),
  )
})

test('does not extend the life of the old key', async () => {
  const { stored } = await newReader(3600)

  const { previous } = await rotated(stored.keyId, 7200)

  expect(previous).toMatchObject({ expiresAt: '2026-11-20T13:00:00.000Z' })
  expect(await storedOf(stored.keyId)).toEqual(stored)
})

test('a second rotation during the grace period extends no key', async () => {
  const first = await newReader()
  const second = await rotated(first.stored.keyId, 60)
  at(30_000)
  const third = await rotated(second.keyId, 60)
  const valid = async () => (await Promise.all([first.text, second.key, third.key].map(find))).map(Boolean)

  at(59_999)
  expect(await valid()).toEqual([true, true, true])
  at(60_000)
  expect(await valid()).toEqual([false, true, true])
  at(90_000)
  expect(await valid()).toEqual([false, false, true])
})

test('both keys stay valid if the old key cannot get its expiry; the process prints the new key, and why', async () => {
  const old = await newReader()
  const { keyId, clientId } = old.stored
  once({ UpdateItem: databaseResponses.accessDenied })

  const { code, stdout, stderr } = await runProcess('rotate', keyId, '--grace', '1h', '--scope', 'pets:write', '--json')

  const fresh = JSON.parse(stdout)
  expect(code).toBe(1)
  expect(await find(fresh.key)).toMatchObject({ keyId: fresh.keyId, clientId, scopes: ['pets:write'] })
  expect(await find(old.text)).toMatchObject({ keyId, clientId, scopes: ['pets:read'] })
  const problem = `The expiry of ${keyId} may not have been set: AWS refused the request: Made by the test.`
  expect(stderr).toBe(`${problem} The new key is valid. Revoke ${keyId} when the client uses the new key.\n`)
})

test('the old key expires although the response to its update is lost', async () => {
  const { stored } = await newReader()
  once({ UpdateItem: lostResponse })

  const { previous } = await rotated(stored.keyId, 60)

  expect(previous).toMatchObject({ expiresAt: '2026-11-20T12:01:00.000Z' })
  expect(await storedOf(stored.keyId)).toEqual({ ...stored, expiresAt: NOW / 1000 + 60 })
})

test('changes nothing if the new key cannot be stored', async () => {
  const { stored } = await newReader()
  const before = await table.all()
  proxy.faultOf = ({ operation }) => (operation === 'PutItem' ? 'cut' : 'pass')

  await expect(rotate(table, stored.keyId, { grace: 60 })).rejects.toThrow('socket hang up')

  expect(await table.all()).toEqual(before)
})

test('leaves no new key if the old key is revoked at the same time', async () => {
  const { stored: old } = await newReader()
  const put = (key: StoredApiKey) => table.put(key).then(() => table.remove(old.digest))
  const slow = Object.assign(new KeyTable(deployment), { put })

  const rotation = rotate(slow, old.keyId, { grace: 60 })

  const line = `The key ${old.keyId} was revoked in the meantime, so no new key was issued.`
  await expect(rotation).rejects.toThrow(new CommandError(line))
  expect((await table.all()).filter(({ clientId }) => clientId === old.clientId)).toEqual([])
})
