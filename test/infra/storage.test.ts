import { describe, expect, test } from 'vitest'
import { production, resource, staging, tableOf } from './template.ts'

describe.each([
  { name: 'staging', template: staging, removal: 'Delete' },
  { name: 'production', template: production, removal: 'Retain' },
])('in $name', ({ template, removal }) => {
  test('the animals are in an on-demand table, and in an index by status with all attributes', () => {
    const table = resource(template, tableOf(template, 'id'))

    expect(table.Properties).toEqual({
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

  test('the API keys are in an on-demand table, which deletes those that have expired', () => {
    const table = resource(template, tableOf(template, 'digest'))

    expect(table.Properties).toEqual({
      AttributeDefinitions: [{ AttributeName: 'digest', AttributeType: 'S' }],
      BillingMode: 'PAY_PER_REQUEST',
      KeySchema: [{ AttributeName: 'digest', KeyType: 'HASH' }],
      TimeToLiveSpecification: { AttributeName: 'expiresAt', Enabled: true },
    })
  })

  test.each([
    ['AWS::DynamoDB::Table', 2],
    ['AWS::Logs::LogGroup', 3],
  ])(`all of %s meet ${removal} when they are removed`, (type, count) => {
    const found = Object.values(template.findResources(type))

    expect(found).toHaveLength(count)
    for (const each of found) expect(each).toMatchObject({ DeletionPolicy: removal, UpdateReplacePolicy: removal })
  })
})
