import { describe, expect, test } from 'vitest'
import type { Stage } from '../../../infra/stages.ts'
import { operationIds } from '../../../shared/contract.ts'
import { partsOf, resource, resourcesOf, tableOf, templateOf } from './template.ts'

describe.each([
  { name: 'staging', removal: 'Delete', protection: false, recovery: 1, logs: 14 },
  { name: 'production', removal: 'Retain', protection: true, recovery: 35, logs: 90 },
] as const)('in $name', ({ name, removal, protection, recovery, logs }) => {
  const template = templateOf(name)
  const table = (partitionKey: 'id' | 'digest' | 'intent') =>
    resource(template, tableOf(template, partitionKey)).Properties
  const common = {
    BillingMode: 'PAY_PER_REQUEST',
    TimeToLiveSpecification: { AttributeName: 'expiresAt', Enabled: true },
    DeletionProtectionEnabled: protection,
    PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true, RecoveryPeriodInDays: recovery },
  }

  test('pets are in an on-demand table that deletes expired ones, with an index of all and one by status', () => {
    expect(table('id')).toEqual({
      ...common,
      AttributeDefinitions: [
        { AttributeName: 'id', AttributeType: 'N' },
        { AttributeName: 'shard', AttributeType: 'N' },
        { AttributeName: 'statusShard', AttributeType: 'S' },
      ],
      KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
      GlobalSecondaryIndexes: [
        ['newest', 'shard'],
        ['byStatus', 'statusShard'],
      ].map(([IndexName, partitionKey]) => ({
        IndexName,
        KeySchema: [
          { AttributeName: partitionKey, KeyType: 'HASH' },
          { AttributeName: 'id', KeyType: 'RANGE' },
        ],
        Projection: { ProjectionType: 'ALL' },
      })),
    })
  })

  test.each([
    ['API', 'digest'],
    ['idempotency', 'intent'],
  ] as const)('%s keys are in an on-demand table that deletes expired ones', (_, key) => {
    expect(table(key)).toEqual({
      ...common,
      AttributeDefinitions: [{ AttributeName: key, AttributeType: 'S' }],
      KeySchema: [{ AttributeName: key, KeyType: 'HASH' }],
    })
  })

  test.each([
    ['AWS::DynamoDB::Table', 3, {}],
    ['AWS::Logs::LogGroup', operationIds.length + 1, { RetentionInDays: logs }],
  ])(`each %s has the removal policy ${removal} and the retention of the stage`, (type, count, Properties) => {
    // A release without a canary removes the hook, and with it its log.
    const found = resourcesOf(template, type).filter(([id]) => !id.startsWith('MonitoringReleaseLogs'))

    expect(found).toHaveLength(count)
    for (const [, each] of found)
      expect(each).toMatchObject({ DeletionPolicy: removal, UpdateReplacePolicy: removal, Properties })
  })
})

test.each<Stage['adopt'] & object>([
  { pets: ['restored-pets'] },
  { apiKeys: ['restored-again', 'restored-keys'] },
  { pets: ['restored-pets'], apiKeys: ['restored-keys'], idempotencyKeys: ['restored-intents'] },
])('a stack that adopts %o uses the first, and keeps its own tables and the rights to all', (adopt) => {
  const template = templateOf('production', { adopt })
  const { Outputs } = template.toJSON()
  const { handler, role } = partsOf(template, 'createPet')
  const { PETS_TABLE, API_KEYS_TABLE, IDEMPOTENCY_KEYS_TABLE } = handler.Environment.Variables
  const rights = JSON.stringify(resource(template, role).Properties.Policies)
  const own = [tableOf(template, 'id'), tableOf(template, 'digest'), tableOf(template, 'intent')]

  expect(PETS_TABLE).toEqual(adopt.pets?.[0] ?? { Ref: own[0] })
  expect(API_KEYS_TABLE).toEqual(adopt.apiKeys?.[0] ?? { Ref: own[1] })
  expect(IDEMPOTENCY_KEYS_TABLE).toEqual(adopt.idempotencyKeys?.[0] ?? { Ref: own[2] })
  expect(Outputs).toMatchObject({
    PetsTable: { Value: PETS_TABLE },
    ApiKeysTable: { Value: API_KEYS_TABLE },
    IdempotencyKeysTable: { Value: IDEMPOTENCY_KEYS_TABLE },
  })
  for (const name of Object.values(adopt).flat()) expect(rights).toContain(`:table/${name}"`)
  for (const name of own) expect(rights).toContain(`"${name}"`)
})
