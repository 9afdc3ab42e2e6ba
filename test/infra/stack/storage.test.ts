import { describe, expect, test } from 'vitest'
import { operationIds } from '../../../shared/contract.ts'
import { production, propertiesOf, resource, resourcesOf, staging, tableOf } from './template.ts'

describe.each([
  { name: 'staging', template: staging, removal: 'Delete', protection: false, recovery: 1, logs: 14 },
  { name: 'production', template: production, removal: 'Retain', protection: true, recovery: 35, logs: 90 },
])('in $name', ({ template, removal, protection, recovery, logs }) => {
  const safety = {
    DeletionProtectionEnabled: protection,
    PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true, RecoveryPeriodInDays: recovery },
  }

  test('the pets are in an on-demand table, and in an index by status with all attributes', () => {
    const table = resource(template, tableOf(template, 'id'))

    expect(table.Properties).toEqual({
      ...safety,
      AttributeDefinitions: [
        { AttributeName: 'id', AttributeType: 'N' },
        { AttributeName: 'statusShard', AttributeType: 'S' },
      ],
      BillingMode: 'PAY_PER_REQUEST',
      KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
      GlobalSecondaryIndexes: [
        {
          IndexName: 'byStatus',
          KeySchema: [
            { AttributeName: 'statusShard', KeyType: 'HASH' },
            { AttributeName: 'id', KeyType: 'RANGE' },
          ],
          Projection: { ProjectionType: 'ALL' },
        },
      ],
    })
  })

  test.each([
    ['API', 'digest'],
    ['idempotency', 'intent'],
  ])('the %s keys are in an on-demand table, which deletes those that have expired', (_, key) => {
    const table = resource(template, tableOf(template, key))

    expect(table.Properties).toEqual({
      ...safety,
      AttributeDefinitions: [{ AttributeName: key, AttributeType: 'S' }],
      BillingMode: 'PAY_PER_REQUEST',
      KeySchema: [{ AttributeName: key, KeyType: 'HASH' }],
      TimeToLiveSpecification: { AttributeName: 'expiresAt', Enabled: true },
    })
  })

  test(`all logs are kept for ${logs} days: the functions' and the access log`, () => {
    const days = propertiesOf(template, 'AWS::Logs::LogGroup').map(({ RetentionInDays }) => RetentionInDays)

    expect(days).toEqual(Array(operationIds.length + 1).fill(logs))
  })

  test.each([
    ['AWS::DynamoDB::Table', 3],
    ['AWS::Logs::LogGroup', operationIds.length + 1],
  ])(`all of %s meet ${removal} when they are removed`, (type, count) => {
    const found = resourcesOf(template, type)

    expect(found).toHaveLength(count)
    for (const [, each] of found) expect(each).toMatchObject({ DeletionPolicy: removal, UpdateReplacePolicy: removal })
  })
})
