import { expect, test } from 'vitest'
import { checkStage, StageError, stages } from '../../../infra/stages.ts'
import { operationIds } from '../../../shared/contract.ts'
import { propertiesOf, templateOf } from './template.ts'

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
        'and writeShards at most readShards, since lists find no pet that is written to a partition they do not read.',
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

test.each(['staging', 'production'] as const)('of %s, functions are few at once or kept warm if told so', (name) => {
  const template = templateOf('Limited', { ...stages[name], reservedConcurrency: 5, provisionedConcurrency: 2 })

  const reserved = propertiesOf(template, 'AWS::Lambda::Function').map((each) => each.ReservedConcurrentExecutions)
  const warm = propertiesOf(template, 'AWS::Lambda::Alias').map((each) => each.ProvisionedConcurrencyConfig)
  expect(reserved).toEqual(Array(operationIds.length).fill(5))
  expect(warm).toEqual(Array(operationIds.length).fill({ ProvisionedConcurrentExecutions: 2 }))
})

test.each([0, 36, 1.5])('refuses %d days of recovery', (recoveryDays) => {
  expect(() => checkStage('PetStoreStaging', { ...stages.staging, recoveryDays })).toThrow(
    new StageError(`PetStoreStaging has recoveryDays ${recoveryDays}: DynamoDB takes 1 to 35.`),
  )
})
