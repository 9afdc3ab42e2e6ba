import { expect, onTestFinished, test, vi } from 'vitest'
import { CommandError } from '../../../infra/command-line.ts'
import { ApiKeyTable } from '../../../infra/commands/api-keys.ts'
import { findKey, keyList, rotate } from '../../../infra/commands/keys.ts'
import { findKeyHolder, type StoredApiKey } from '../../../shared/data/api-keys.ts'
import { digestOf, isApiKey } from '../../../shared/model/api-key.ts'
import { secondsFromNow } from '../../../shared/model/expiry.ts'
import { scopes, service } from '../../../shared/service.ts'
import { deleteItem, failOnce, proxy, putItem, storeKey } from '../../support/database.ts'
import { databaseResponses, type Fault, lostResponse } from '../../support/fault-proxy.ts'
import { deploymentAt } from '../../support/local-deployment.ts'
import { runCommand, startCommand } from '../../support/run-command.ts'
import { exampleCredentials } from '../../support/secrets.ts'

const deployment = deploymentAt('')
const table = new ApiKeyTable(deployment)

/** A key that allows everything, for ever. */
const shopFront = { name: 'shop front', scopes, expiresIn: Infinity }
const rotation = { grace: 60, scopes: [], expiresIn: Infinity }

const issue = (expiresIn = Infinity) =>
  table.issue({ name: 'shop front', scopes: ['pets:read'], expiresIn })

/** What the table has under the id of a key. */
const storedOf = async (id: unknown) => (await table.all()).find(({ keyId }) => keyId === id)
const lineOf = async (id: string) =>
  keyList(await table.all())
    .split('\n')
    .find((line) => line.startsWith(id))

const env = { AWS_ENDPOINT_URL_DYNAMODB: proxy.endpoint, ...exampleCredentials }
const runProcess = (...args: string[]) =>
  runCommand('commands/keys', [...args, '--stage', 'local'], env)

const KEY = new RegExp(`${service.keyIssuer}_local_[0-9A-Za-z]+`, 'g')

test('a key is accepted by the API, and only its digest is stored, once', async () => {
  failOnce({ TransactWriteItems: lostResponse })

  const { text, stored } = await table.issue(shopFront)

  expect(isApiKey(text, 'local')).toBe(true)
  const { keyId, clientId } = stored
  expect(await findKeyHolder(text)).toMatchObject({ keyId, clientId, scopes, isValid: true })
  expect(await table.all()).toEqual([
    expect.objectContaining({ keyId: 'local' }),
    {
      digest: digestOf(text),
      keyId: expect.stringMatching(/^key_[0-9a-f]{16}$/),
      clientId: expect.stringMatching(/^client_[0-9a-f]{16}$/),
      name: 'shop front',
      scopes,
      createdAt: new Date(stored.createdAt).toISOString(),
      issuedBy: 'jane',
    },
  ])
})

test('a key is named before it is stored, and when a response is lost and the next one refused', async () => {
  const print = vi.spyOn(console, 'error').mockImplementation(() => {})
  onTestFinished(() => print.mockRestore())
  const ids = async () => (await table.all()).map(({ keyId }) => keyId)
  const before = await ids()
  let printed: unknown[] = []
  proxy.faultOf = ({ operation }): Fault => {
    if (operation !== 'TransactWriteItems') return 'pass'
    printed = print.mock.calls.flat()
    return proxy.counts.TransactWriteItems === 1 ? lostResponse : databaseResponses.accessDenied
  }

  const error = await table.issue(shopFront).catch((error) => error)

  const [stored] = (await ids()).filter((id) => !before.includes(id))
  expect(printed).toEqual([`Issuing the API key ${stored}. If this is stopped, revoke it.`])
  const line =
    `The DynamoDB at ${proxy.endpoint} refused the request: Made by the test. ` +
    `If npm run keys -- list shows the key ${stored}, revoke it.`
  expect(error).toEqual(new CommandError(line))
})

test('no key is issued while the clock is wrong', async () => {
  const late = new ApiKeyTable({ ...deployment, clockOffset: -61_000 })
  const before = await late.all()

  const line =
    'The clocks of this machine and of AWS are over a minute apart, so a new key would begin or ' +
    'end at a wrong time. Set the clock.'
  await expect(late.issue(shopFront)).rejects.toThrow(new CommandError(line))

  expect(await late.all()).toEqual(before)
})

test('as a process, it shows each new key once, and says whose key it revokes', async () => {
  const options = ['--name', 'till 2', '--expires-in', '90d', '--scope', 'pets:read']

  const issued = await runProcess('issue', ...options)
  const [key = '', ...others] = issued.stdout.match(KEY) ?? []
  const { keyId = '' } = (await findKeyHolder(key)) ?? {}
  const rotation = ['rotate', keyId, '--grace', '1h', '--expires-in', 'never']
  const rotated = await runProcess(...rotation)
  const revoked = await runProcess('revoke', keyId)

  expect([issued.code, rotated.code, others]).toEqual([0, 0, []])
  expect(issued.stdout).toMatch(
    new RegExp(`^${keyId} .+ till 2 +pets:read .+Z +valid +local$`, 'm'),
  )
  expect(rotated.stdout.match(KEY)).toHaveLength(1)
  const previous = new RegExp(
    `The previous key expires\\. [^]*^${keyId} .+Z +valid, ends soon`,
    'm',
  )
  expect(rotated.stdout).toMatch(previous)
  expect(revoked).toMatchObject({ code: 0, stderr: '' })
  const line = `^${keyId}, the key of client_\\w{16} \\(till 2\\), is revoked\\. `
  expect(revoked.stdout).toMatch(new RegExp(line))
  expect(await storedOf(keyId)).toHaveProperty('revokedBy', 'local')
})

test('a key that cannot be printed is named', async () => {
  const options = ['--name', 'lost', '--scope', 'all', '--expires-in', '1d', '--stage', 'local']
  const { child, exited } = startCommand('commands/keys', ['issue', ...options], env)

  child.stdout.destroy()
  const { code, stderr } = await exited

  const lost = (await table.all()).find(({ name }) => name === 'lost')
  const lines =
    `Issuing the API key ${lost?.keyId}. If this is stopped, revoke it.\n` +
    `The key ${lost?.keyId} is stored, but cannot be shown. Revoke it.\n`
  expect({ code, stderr }).toEqual({ code: 1, stderr: lines })
})

test('the list shows keys with their state, but neither keys themselves nor digests', async () => {
  const { text, stored } = await table.issue({ ...shopFront, name: 'kiosk' })
  const old = { keyId: 'key_old', clientId: 'c', name: 'Old', scopes: [], createdAt: '2020' }
  await putItem('apiKeys', { digest: 'd1', ...old, expiresAt: 1_600_000_000 })

  const list = keyList(await table.all())

  expect(list).toMatch(
    /^KEY +CLIENT +NAME +SCOPES +CREATED +EXPIRES +STATE +ISSUED BY +REVOKED BY$/m,
  )
  expect(list).toMatch(/^key_old {15}c +Old +none +2020 +2020-09-13T12:26:40\.000Z +expired$/m)
  expect(list).toMatch(new RegExp(`^${stored.keyId} .+ never +valid +jane$`, 'm'))
  expect(list).not.toContain(text)
  expect(list).not.toMatch(/digest|[0-9a-f]{64}/)
})

test.each([
  [13, 'valid, ends soon'],
  [15, 'valid'],
])('the list marks a key that ends in %d days as %s', async (days, state) => {
  const { stored } = await issue(days * 86_400)

  expect(await lineOf(stored.keyId)).toMatch(new RegExp(`Z +${state} +jane$`))
})

test('control characters that somebody has stored are escaped', async () => {
  await storeKey({ key: 'forged', keyId: 'key_a\nkey_b', name: '\u001b[2J\u009b1A' })

  expect(await lineOf('key_a')).toMatch(/^key_a\\u\{a\}key_b .+ \\u\{1b\}\[2J\\u\{9b\}1A /)
})

test('a revoked key is listed with who revoked it, and is neither revoked nor rotated again', async () => {
  const { text, stored } = await issue()

  await table.revoke(stored)

  expect(await findKeyHolder(text)).toMatchObject({ isValid: false })
  expect(await lineOf(stored.keyId)).toMatch(/ revoked +jane +jane$/)
  const line = `${stored.keyId} was revoked by jane.`
  for (const again of [findKey(table, stored.keyId), rotate(table, stored.keyId, rotation)])
    await expect(again).rejects.toThrow(new CommandError(line))
})

test('an unknown key is refused, and nothing is left of one that is deleted before it is revoked', async () => {
  const { stored } = await issue()
  await table.remove(stored)

  await expect(table.revoke(stored)).rejects.toThrow('The conditional request failed')

  const line = 'There is no such key in this stage.'
  await expect(findKey(table, stored.keyId)).rejects.toThrow(new CommandError(line))
})

test('a rotation gives the client a key with the same scopes and more, and lets the old one expire', async () => {
  const old = {
    keyId: 'key_newer',
    clientId: 'client_1',
    name: 'Till',
    scopes: ['vets:\u001bread'],
  }
  const previousKey = await storeKey(old)
  const before = secondsFromNow(0)

  const { key, previous } = await rotate(table, 'key_newer', {
    grace: 3600,
    scopes: ['pets:read'],
    expiresIn: 7200,
  })

  const { clientId, name } = old
  const fresh = await storedOf(key.stored.keyId)
  expect(fresh).toMatchObject({ clientId, name, scopes: ['vets:\u001bread', 'pets:read'] })
  expect(await findKeyHolder(key.text)).toMatchObject({ scopes: ['pets:read'], isValid: true })
  expect(Number(fresh?.expiresAt)).toBeGreaterThanOrEqual(before + 7200)
  const ended = await storedOf('key_newer')
  expect(ended).toEqual({ ...previous, digest: digestOf(previousKey) })
  expect(Number(ended?.expiresAt) - before).toBeGreaterThanOrEqual(3600)
  expect(Number(ended?.expiresAt) - before).toBeLessThan(3700)
})

test('a rotation never lets the old key end later', async () => {
  const { keyId, expiresAt } = (await issue(60)).stored

  const { key } = await rotate(table, keyId, { ...rotation, grace: 3600 })

  expect(key.stored).not.toHaveProperty('expiresAt')
  expect(await storedOf(keyId)).toMatchObject({ expiresAt })
})

test.each<[string, (old: StoredApiKey) => Promise<unknown>]>([
  ['revoked', (old) => table.revoke(old)],
  ['deleted', ({ digest }) => deleteItem('apiKeys', { digest })],
  ['rotated', ({ keyId }) => rotate(table, keyId, { ...rotation, grace: 3600 })],
])('a rotation leaves no new key if the old key is %s at the same time', async (_, end) => {
  const { stored: old } = await issue()
  let ended: Promise<unknown> | undefined
  proxy.faultOf = async ({ operation }): Promise<Fault> => {
    if (operation !== 'TransactWriteItems' || ended) return 'pass'
    ended = end(old)
    await ended
    return 'pass'
  }
  const clients = async () =>
    (await table.all()).filter(
      ({ clientId, keyId }) => clientId === old.clientId && keyId !== old.keyId,
    )

  const rotated = rotate(table, old.keyId, rotation)

  const line = 'Somebody else has changed the old key. No new key was issued.'
  await expect(rotated).rejects.toThrow(new CommandError(line))
  expect(await clients()).toHaveLength(_.startsWith('rotated') ? 1 : 0)
})

// Last, because every scan reads these keys.
test('lists more keys than DynamoDB returns at a time, oldest first', async () => {
  const months = ['2001-03', '2001-01', '2001-05', '2001-02', '2001-04']
  const name = 'x'.repeat(300_000) // DynamoDB returns 1 MB at a time.
  for (const month of months) await storeKey({ keyId: month, createdAt: month, name })

  const keys = await table.all()

  expect(keys.slice(0, 5).map(({ keyId }) => keyId)).toEqual(months.toSorted())
})
