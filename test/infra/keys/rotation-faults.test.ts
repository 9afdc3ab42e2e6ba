import { expect, test } from 'vitest'
import { CommandError } from '../../../infra/command-line.ts'
import { issue, rotate } from '../../../infra/keys/actions.ts'
import { KeyTable } from '../../../infra/keys/key-table.ts'
import * as apiKeys from '../../../shared/data/api-keys.ts'
import { answers } from '../../support/fault-proxy.ts'
import { deployment, proxy, table } from './faulty-database.ts'

test.each([
  ['refuses', answers.accessDenied, 'AWS refuses: Made by the test.'],
  ['cannot be reached', 'cut', 'AWS cannot be reached: socket hang up'],
] as const)('loses neither key where DynamoDB %s while the old one is given its end', async (_, fault, reason) => {
  const old = await issue(table, { name: 'shop front' })
  const { keyId } = old.stored
  proxy.faultOf = ({ operation }) => (operation === 'UpdateItem' ? fault : 'pass')

  const { fresh, failure } = await rotate(table, { keyId, grace: 60 })

  expect(failure).toEqual(
    new CommandError(
      `${keyId} may not have been given an end: ${reason} The new key is good. Revoke ${keyId} when the client has it.`,
    ),
  )
  const { clientId } = old.stored
  expect(await apiKeys.find(fresh.text)).toMatchObject({ keyId: fresh.stored.keyId, clientId })
  expect(await apiKeys.find(old.text)).toMatchObject({ keyId, clientId })
})

test('hands the new key over even where a bug keeps the old one from its end', async () => {
  const { stored: old } = await issue(table, { name: 'shop front' })
  const bug = new TypeError('Made by the test.')
  class Broken extends KeyTable {
    override endBy(): Promise<never> {
      return Promise.reject(bug)
    }
  }

  const { fresh, failure } = await rotate(new Broken(deployment), { keyId: old.keyId, grace: 60 })

  expect(await apiKeys.find(fresh.text)).toMatchObject({ clientId: old.clientId })
  expect(failure).toMatchObject({ cause: bug })
})

test('changes nothing where the new key cannot be stored', async () => {
  const { stored } = await issue(table, { name: 'shop front' })
  const before = await table.all()
  proxy.faultOf = ({ operation }) => (operation === 'PutItem' ? 'cut' : 'pass')

  await expect(rotate(table, { keyId: stored.keyId, grace: 60 })).rejects.toThrow('socket hang up')

  expect(await table.all()).toEqual(before)
})

test('makes no new key where the old one is revoked meanwhile', async () => {
  const { stored: old } = await issue(table, { name: 'shop front' })
  class Slow extends KeyTable {
    override async add(key: apiKeys.StoredApiKey): Promise<void> {
      await super.add(key)
      await this.remove(old)
    }
  }

  const rotation = rotate(new Slow(deployment), { keyId: old.keyId, grace: 60 })

  const line = `The key ${old.keyId} was revoked meanwhile, so no new one was made.`
  await expect(rotation).rejects.toThrow(new CommandError(line))
  expect((await table.all()).filter(({ clientId }) => clientId === old.clientId)).toEqual([])
})
