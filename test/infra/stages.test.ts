import { expect, test } from 'vitest'
import { checkStage, StageError, stages } from '../../infra/stages.ts'
import { templateOf } from './template.ts'

test.each([
  [1, 2],
  [0, 0],
  [1, 0],
  [2, -1],
  [2, 1.5],
  [Number.NaN, 1],
])('refuses readShards %d with writeShards %d', (readShards, writeShards) => {
  const stage = { ...stages.staging, readShards, writeShards }

  expect(() => templateOf('PetStoreStaging', stage)).toThrow(
    new StageError(
      `PetStoreStaging has readShards ${readShards} and writeShards ${writeShards}: both must be positive integers, ` +
        'and writeShards at most readShards, since lists find no animal that is written to a partition they do not read.',
    ),
  )
})

test.each([
  [1, 1],
  [4, 1],
  [4, 4],
])('takes readShards %d with writeShards %d', (readShards, writeShards) => {
  expect(() => checkStage('PetStoreStaging', { ...stages.staging, readShards, writeShards })).not.toThrow()
})
