import { expect, test } from 'vitest'
import { newKey } from '../../../infra/keys/key-table.ts'

test('makes keys of which each stage takes its own', () => {
  expect(newKey('live', { name: 'a' }).text).toMatch(/^pet_live_/)
  expect(newKey('test', { name: 'a' }).text).toMatch(/^pet_test_/)
})
