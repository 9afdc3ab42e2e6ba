import { afterAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { CommandError } from '../../../infra/command-line.ts'
import { issue, rotate } from '../../../infra/keys/actions.ts'
import { KeyTable, type NewKey } from '../../../infra/keys/key-table.ts'
import { rotated } from '../../../infra/keys/report.ts'
import { find, type StoredApiKey } from '../../../shared/data/api-keys.ts'
import { answers, lostAnswer } from '../../support/fault-proxy.ts'
import { deployment, proxy, runProcess, table } from './keys.ts'

const NOW = Date.UTC(2026, 10, 20, 12)
const DAY = 86_400

// The clock of each test starts at the same moment and stands still. Timers run.
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: NOW })
})
afterAll(() => {
  vi.useRealTimers()
})

/** Sets the clock to this many milliseconds after the start of the test. */
const at = (milliseconds: number) => vi.setSystemTime(NOW + milliseconds)

const issued = (expiresIn?: number) => issue(table, { name: 'shop front', expiresIn })

/** What the API knows of a key's holder. */
const holder = ({ stored: { keyId, clientId } }: NewKey) => expect.objectContaining({ keyId, clientId })

test('keeps the client, and both keys are valid during the grace period', async () => {
  const old = await issued()

  const rotation = await rotate(table, { keyId: old.stored.keyId, grace: DAY, expiresIn: 90 * DAY })

  const { clientId, name, createdAt } = old.stored
  const expired = { ...old.stored, expiresAt: NOW / 1000 + DAY }
  const fresh = { clientId, name, createdAt, digest: expect.any(String), keyId: expect.stringMatching(/^key_/) }
  expect(rotation).toEqual({
    fresh: { text: expect.any(String), stored: { ...fresh, expiresAt: NOW / 1000 + 90 * DAY } },
    old: expired,
  })
  expect(rotation.fresh.stored.keyId).not.toBe(old.stored.keyId)
  expect(await table.all()).toEqual(expect.arrayContaining([rotation.fresh.stored, expired]))
  expect([await find(old.text), await find(rotation.fresh.text)]).toEqual([holder(old), holder(rotation.fresh)])
})

test('issues a key that does not expire unless asked to', async () => {
  const { fresh } = await rotate(table, { keyId: (await issued()).stored.keyId, grace: 60 })

  expect(fresh.stored).not.toHaveProperty('expiresAt')
})

test('shows the new key once, and until when both keys are valid', async () => {
  const [old, fresh] = [await issued(3 * 3600), await issued(90 * DAY)]

  const { text, json } = rotated(fresh, old.stored)

  expect(text.match(/pet_local_\w+/g)).toEqual([fresh.text])
  expect(text).toContain(`The previous key, ${old.stored.keyId}: expires in 3 hours (2026-11-20T15:00:00.000Z).`)
  expect(text).toContain('State    expires in 90 days (2027-02-18T12:00:00.000Z)')
  const { digest: _, ...shown } = fresh.stored
  const { digest: __, ...previous } = old.stored
  expect(json).toEqual({
    ...{ ...shown, key: fresh.text, expiresAt: '2027-02-18T12:00:00.000Z', state: 'valid' },
    previous: { ...previous, expiresAt: '2026-11-20T15:00:00.000Z', state: 'valid' },
  })
})

test('does not extend the life of an old key', async () => {
  const { stored } = await issued(3600)

  const { old } = await rotate(table, { keyId: stored.keyId, grace: 7200 })

  expect(old).toEqual(stored)
  expect(await table.all()).toContainEqual(stored)
})

describe('over time', () => {
  test('the old key expires at the end of the grace period, to the second', async () => {
    const old = await issued()
    const { fresh } = await rotate(table, { keyId: old.stored.keyId, grace: 3600 })

    at(3_599_999)
    expect([await find(old.text), await find(fresh.text)]).toEqual([holder(old), holder(fresh)])
    at(3_600_000)
    expect([await find(old.text), await find(fresh.text)]).toEqual([undefined, holder(fresh)])
  })

  test('a function that remembers the old key from before its rotation accepts it for a minute at most', async () => {
    const old = await issued()
    await find(old.text)
    await rotate(table, { keyId: old.stored.keyId, grace: 1 })

    at(59_999)
    expect(await find(old.text)).toEqual(holder(old))
    at(60_000)
    expect(await find(old.text)).toBeUndefined()
  })

  test('a second rotation during the grace period extends no key', async () => {
    const first = await issued()
    const second = (await rotate(table, { keyId: first.stored.keyId, grace: 60 })).fresh
    at(30_000)
    const third = (await rotate(table, { keyId: second.stored.keyId, grace: 60 })).fresh
    const valid = async () => (await Promise.all([first, second, third].map(({ text }) => find(text)))).map(Boolean)

    at(59_999)
    expect(await valid()).toEqual([true, true, true])
    at(60_000)
    expect(await valid()).toEqual([false, true, true])
    at(90_000)
    expect(await valid()).toEqual([false, false, true])
  })
})

describe('when something fails', () => {
  test.each([
    ['refuses', answers.accessDenied, 'AWS refused the request: Made by the test.'],
    ['does not respond to', 'cut', 'AWS cannot be reached: socket hang up'],
  ] as const)('both keys stay valid if DynamoDB %s the expiry of the old key', async (_, fault, reason) => {
    const old = await issued()
    const { keyId } = old.stored
    proxy.faultOf = ({ operation }) => (operation === 'UpdateItem' ? fault : 'pass')

    const { fresh, failure } = await rotate(table, { keyId, grace: 60 })

    const advice = `The new key is valid. Revoke ${keyId} when the client uses the new key.`
    expect(failure).toEqual(new CommandError(`The expiry of ${keyId} may not have been set: ${reason} ${advice}`))
    expect([await find(fresh.text), await find(old.text)]).toEqual([holder(fresh), holder(old)])
  })

  test('the old key expires although the response to its update is lost', async () => {
    const { stored } = await issued()
    let left = 1
    proxy.faultOf = ({ operation }) => (operation === 'UpdateItem' && left-- > 0 ? lostAnswer : 'pass')

    const { old, failure } = await rotate(table, { keyId: stored.keyId, grace: 60 })

    expect(failure).toBeUndefined()
    expect(old).toEqual({ ...stored, expiresAt: NOW / 1000 + 60 })
    expect(await table.all()).toContainEqual(old)
  })

  test('the new key is returned even if a bug prevents the expiry of the old key', async () => {
    const { stored: old } = await issued()
    const bug = new TypeError('Made by the test.')
    class Broken extends KeyTable {
      override expire(): Promise<never> {
        return Promise.reject(bug)
      }
    }

    const { fresh, failure } = await rotate(new Broken(deployment), { keyId: old.keyId, grace: 60 })

    expect(await find(fresh.text)).toMatchObject({ clientId: old.clientId })
    expect(failure).toMatchObject({ cause: bug })
  })

  test('nothing changes if the new key cannot be stored', async () => {
    const { stored } = await issued()
    const before = await table.all()
    proxy.faultOf = ({ operation }) => (operation === 'PutItem' ? 'cut' : 'pass')

    await expect(rotate(table, { keyId: stored.keyId, grace: 60 })).rejects.toThrow('socket hang up')

    expect(await table.all()).toEqual(before)
  })

  test('no new key remains if the old key is revoked at the same time', async () => {
    const { stored: old } = await issued()
    class Slow extends KeyTable {
      override async add(key: StoredApiKey): Promise<void> {
        await super.add(key)
        await this.remove(old)
      }
    }

    const rotation = rotate(new Slow(deployment), { keyId: old.keyId, grace: 60 })

    const line = `The key ${old.keyId} was revoked in the meantime, so no new key was issued.`
    await expect(rotation).rejects.toThrow(new CommandError(line))
    expect((await table.all()).filter(({ clientId }) => clientId === old.clientId)).toEqual([])
  })

  test('the process prints the new key once when the expiry of the old key cannot be set', async () => {
    const { stored } = await issued()
    proxy.faultOf = ({ operation }) => (operation === 'UpdateItem' ? answers.accessDenied : 'pass')

    const { code, stdout, stderr } = await runProcess('rotate', stored.keyId, '--grace', '1h')

    expect([code, stdout.match(/pet_local_/g)]).toEqual([1, ['pet_local_']])
    expect(stderr).toBe(
      `The expiry of ${stored.keyId} may not have been set: AWS refused the request: Made by the test. ` +
        `The new key is valid. Revoke ${stored.keyId} when the client uses the new key.\n`,
    )
  })
})
