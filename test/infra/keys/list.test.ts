import { expect, test } from 'vitest'
import { digestOf } from '../../../shared/model/api-key.ts'
import { keys, keysJson, putItem } from './local-stage.ts'

test('lists keys with their state, and neither a key nor a digest', async () => {
  const { key, ...issued } = await keysJson('issue', '--name', 'kiosk')
  await putItem({
    digest: 'd1',
    keyId: 'key_old',
    clientId: 'c',
    name: 'Old',
    createdAt: '2020',
    expiresAt: 1_600_000_000,
  })

  const listed = await keysJson('list')
  const { stdout } = await keys('list')

  expect(listed).toContainEqual(issued)
  expect(listed).toContainEqual({
    keyId: 'key_old',
    clientId: 'c',
    name: 'Old',
    createdAt: '2020',
    expiresAt: '2020-09-13T12:26:40.000Z',
    state: 'expired',
  })
  expect(stdout).toMatch(/^KEY +CLIENT +NAME +CREATED +EXPIRES +STATE$/m)
  expect(stdout).toMatch(/^key_old +c +Old +2020 +2020-09-13 12:26Z +expired$/m)
  expect(stdout).toMatch(new RegExp(`^${issued.keyId} +${issued.clientId} +kiosk +\\S+ \\S+ +never +valid$`, 'm'))
  expect(stdout + JSON.stringify(listed)).not.toMatch(/pet_local_/)
  expect(stdout + JSON.stringify(listed)).not.toMatch(/digest|[0-9a-f]{64}/)
  expect(stdout).not.toContain(digestOf(key))
})

test('lists more keys than DynamoDB reads at a time, oldest first', async () => {
  const padding = 'x'.repeat(300_000) // A page is a megabyte.
  const many = Array.from({ length: 10 }, (_, i) => `key_${i}`)
  for (const keyId of many)
    await putItem({
      digest: `many ${keyId}`,
      keyId,
      clientId: 'c',
      name: 'Many',
      createdAt: `2021-0${keyId.at(-1)}`,
      padding,
    })

  const listed: { keyId: string; name: string }[] = await keysJson('list')

  expect(listed.filter(({ name }) => name === 'Many').map(({ keyId }) => keyId)).toEqual(many)
  expect(await keysJson('revoke', 'key_9', '--yes')).toMatchObject({ keyId: 'key_9' })
})
