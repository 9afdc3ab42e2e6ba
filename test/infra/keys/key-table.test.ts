import { expect, test } from 'vitest'
import { issue, rotate } from '../../../infra/keys/actions.ts'
import * as apiKeys from '../../../shared/data/api-keys.ts'
import { lostAnswer } from '../../support/fault-proxy.ts'
import { proxy, table } from './faulty-database.ts'

/** Loses the answer to the first request of an operation, and none later. */
const loseOneAnswer = (operation: string): void => {
  let left = 1
  proxy.faultOf = (request) => (request.operation === operation && left-- > 0 ? lostAnswer : 'pass')
}

test('stores a key once although the answer is lost, after which the SDK puts again', async () => {
  loseOneAnswer('PutItem')

  const { text, stored } = await issue(table, { name: 'shop front' })

  expect(proxy.counts.PutItem).toBe(2)
  expect(await apiKeys.find(text)).toMatchObject({ keyId: stored.keyId })
})

test('overwrites no key', async () => {
  const { stored } = await issue(table, { name: 'shop front' })

  await expect(table.add({ ...stored, keyId: 'key_0', name: 'thief' })).rejects.toThrow()

  expect(await table.all()).toContainEqual(stored)
})

test('gives an old key its end although the answer is lost', async () => {
  const { stored } = await issue(table, { name: 'shop front' })
  loseOneAnswer('UpdateItem')

  const { old, failure } = await rotate(table, { keyId: stored.keyId, grace: 60 })

  expect(failure).toBeUndefined()
  expect(old).toEqual({ ...stored, expiresAt: expect.any(Number) })
  expect(await table.all()).toContainEqual(old)
})
