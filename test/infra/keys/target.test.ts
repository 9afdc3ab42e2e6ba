import { expect, test } from 'vitest'
import { stackNameOf } from '../../../infra/keys/deployment.ts'

test.each([
  ['staging', '', 'PetStoreStaging'],
  ['production', '', 'PetStoreProduction'],
  ['production', 'mine-', 'mine-PetStoreProduction'],
] as const)('%s with the prefix "%s" is the stack %s', (stage, prefix, expected) => {
  expect(stackNameOf({ stage, prefix })).toBe(expected)
})
