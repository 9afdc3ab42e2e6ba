import { describe, expect, test } from 'vitest'
import { operationIds } from '../../../shared/contract.ts'
import { partsOf, propertiesOf, resource, resourcesOf, tableOf, templateOf } from './template.ts'

describe.each([
  { name: 'staging', removal: 'Delete', protection: false, recovery: 1, logs: 14 },
  { name: 'production', removal: 'Retain', protection: true, recovery: 35, logs: 90 },
] as const)('in $name', ({ name, removal, protection, recovery, logs }) => {
  const template = templateOf(name)
  const table = (partitionKey: 'id' | 'digest' | 'intent') =>
    resource(template, tableOf(template, partitionKey)).Properties
  const common = {
    BillingMode: 'PAY_PER_REQUEST',
    DeletionProtectionEnabled: protection,
    PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true, RecoveryPeriodInDays: recovery },
  }

  test('pets are in an on-demand table, with an index by status that holds all attributes', () => {
    expect(table('id')).toEqual({
      ...common,
      AttributeDefinitions: [
        { AttributeName: 'id', AttributeType: 'N' },
        { AttributeName: 'statusShard', AttributeType: 'S' },
      ],
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
  ] as const)('%s keys are in an on-demand table that deletes expired ones', (_, key) => {
    expect(table(key)).toEqual({
      ...common,
      AttributeDefinitions: [{ AttributeName: key, AttributeType: 'S' }],
      KeySchema: [{ AttributeName: key, KeyType: 'HASH' }],
      TimeToLiveSpecification: { AttributeName: 'expiresAt', Enabled: true },
    })
  })

  test(`all logs are kept for ${logs} days: those of the functions and the access log`, () => {
    const days = propertiesOf(template, 'AWS::Logs::LogGroup').map(({ RetentionInDays }) => RetentionInDays)

    expect(days).toEqual(Array(operationIds.length + 1).fill(logs))
  })

  test.each([
    ['AWS::DynamoDB::Table', 3],
    ['AWS::Logs::LogGroup', operationIds.length + 1],
  ])(`each %s has the removal policy ${removal}`, (type, count) => {
    const found = resourcesOf(template, type)

    expect(found).toHaveLength(count)
    for (const [, each] of found) expect(each).toMatchObject({ DeletionPolicy: removal, UpdateReplacePolicy: removal })
  })
})

describe('with an existing table of pets', () => {
  const template = templateOf('production', { adopt: { pets: 'restored-pets' } })
  const adoptedArn = (path: string) => {
    const parts = [{ Ref: 'AWS::Partition' }, ':dynamodb:', { Ref: 'AWS::Region' }, ':', { Ref: 'AWS::AccountId' }]
    return { 'Fn::Join': ['', ['arn:', ...parts, `:table/restored-pets${path}`]] }
  }

  test('the stack creates only the other tables', () => {
    template.resourceCountIs('AWS::DynamoDB::Table', 2)
    expect(template.toJSON().Outputs).toMatchObject({
      PetsTable: { Value: 'restored-pets' },
      ApiKeysTable: { Value: { Ref: tableOf(template, 'digest') } },
      IdempotencyKeysTable: { Value: { Ref: tableOf(template, 'intent') } },
    })
  })

  test.each([
    ['listPets', 'dynamodb:Query', adoptedArn('/index/byStatus')],
    ['createPet', ['dynamodb:GetItem', 'dynamodb:PutItem'], adoptedArn('')],
  ])('%s knows the table and may use it', (operation, Action, Resource) => {
    const { handler, role } = partsOf(template, operation)
    const [{ PolicyDocument }] = resource(template, role).Properties.Policies

    expect(handler.Environment.Variables.PETS_TABLE).toBe('restored-pets')
    // CDK merges statements that allow the same actions on several tables.
    const statements = PolicyDocument.Statement.flatMap((each: { Resource: unknown }) =>
      [each.Resource].flat().map((Resource) => ({ ...each, Resource })),
    )
    expect(statements).toContainEqual({ Effect: 'Allow', Action, Resource })
  })
})

test.each([
  [
    'all tables',
    { pets: 'old-pets', apiKeys: 'old-keys', idempotencyKeys: 'old-intents' },
    {
      PetsTable: { Value: 'old-pets' },
      ApiKeysTable: { Value: 'old-keys' },
      IdempotencyKeysTable: { Value: 'old-intents' },
    },
  ],
  ['only the table of API keys', { apiKeys: 'old-keys' }, { ApiKeysTable: { Value: 'old-keys' } }],
])('a stack that is told to use %s creates only the others', (_, adopt, outputs) => {
  const template = templateOf('production', { adopt })
  const { Outputs } = template.toJSON()

  template.resourceCountIs('AWS::DynamoDB::Table', 3 - Object.keys(adopt).length)
  expect(Outputs).toMatchObject(outputs)
  for (const { Environment } of propertiesOf(template, 'AWS::Lambda::Function'))
    expect(Environment.Variables).toMatchObject({ PETS_TABLE: Outputs.PetsTable.Value, API_KEYS_TABLE: 'old-keys' })
})
