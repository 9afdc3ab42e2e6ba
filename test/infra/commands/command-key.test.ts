import { expect, test } from 'vitest'
import { withCommandKey } from '../../../infra/commands/command-key.ts'
import { find } from '../../../shared/data/api-keys.ts'
import { tableName } from '../../../shared/data/tables.ts'
import { digestOf } from '../../../shared/model/api-key.ts'
import { at } from '../../support/clock.ts'
import { storedItems, storeKey } from '../../support/database.ts'

const owner = { clientId: 'import', name: 'import 1', scopes: ['pets:write' as const] }
const deployment = {
  name: 'PetStoreLocal',
  baseUrl: '',
  apiKeysTable: tableName('apiKeys'),
  keyPrefix: 'local',
  operator: 'jane',
} as const

test('a command has a key for a day, renews it, and revokes it and what a killed run left', async () => {
  const left = await storeKey({ ...owner, keyId: 'left' })
  const other = await storeKey({ ...owner, keyId: 'other', name: 'import 2' })
  const keys: string[] = []

  await withCommandKey(deployment, owner, async (apiKey) => {
    for (const hours of [0, 22, 23]) {
      at(hours * 3_600_000)
      keys.push(await apiKey())
    }
    expect(await find(left)).toMatchObject({ isValid: false })
  })

  const [first = '', second = '', third = ''] = keys
  expect(first).toBe(second)
  const stored = (await storedItems('apiKeys')).filter(({ digest }) =>
    [first, third].map(digestOf).includes(String(digest)),
  )
  expect(stored).toHaveLength(2)
  for (const key of stored) expect(key).toMatchObject({ ...owner, revokedBy: 'jane' })
  expect(await find(other)).toMatchObject({ isValid: true })
})
