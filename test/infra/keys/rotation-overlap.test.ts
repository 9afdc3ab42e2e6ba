import { expect, test } from 'vitest'
import { issue, rotate } from '../../../infra/keys/actions.ts'
import { find } from '../../../shared/data/api-keys.ts'
import { at } from '../../shared/data/clock.ts'
import { table } from './faulty-database.ts'

test('both keys are the same client until the grace ends, to the second, and then the new one alone', async () => {
  const old = await issue(table, { name: 'shop front' })
  const { keyId, clientId } = old.stored
  const { fresh } = await rotate(table, { keyId, grace: 3600 })

  at(3_599_999)
  expect(await find(old.text)).toMatchObject({ keyId, clientId })
  expect(await find(fresh.text)).toMatchObject({ keyId: fresh.stored.keyId, clientId })
  at(3_600_000)
  expect(await find(old.text)).toBeUndefined()
  expect(await find(fresh.text)).toMatchObject({ keyId: fresh.stored.keyId, clientId })
})

test('a key that is remembered from before its rotation is good for a minute at most after its read', async () => {
  const old = await issue(table, { name: 'shop front' })
  await find(old.text)
  await rotate(table, { keyId: old.stored.keyId, grace: 1 })

  at(59_999)
  expect(await find(old.text)).toMatchObject({ keyId: old.stored.keyId })
  at(60_000)
  expect(await find(old.text)).toBeUndefined()
})

test('rotated again during the grace, no key of the client is good for longer than it was to be', async () => {
  const first = await issue(table, { name: 'shop front' })
  const second = (await rotate(table, { keyId: first.stored.keyId, grace: 60 })).fresh
  at(30_000)
  const third = (await rotate(table, { keyId: second.stored.keyId, grace: 60 })).fresh
  const good = async () => (await Promise.all([first, second, third].map(({ text }) => find(text)))).map(Boolean)

  at(59_999)
  expect(await good()).toEqual([true, true, true])
  at(60_000)
  expect(await good()).toEqual([false, true, true])
  at(90_000)
  expect(await good()).toEqual([false, false, true])
})
