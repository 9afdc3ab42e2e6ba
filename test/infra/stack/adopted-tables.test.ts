import { describe, expect, test } from 'vitest'
import { stages } from '../../../infra/stages.ts'
import { partsOf, propertiesOf, resource, tableOf, templateOf } from './template.ts'

type Statement = { Resource: unknown }

const tableArn = (name: string, index = '') => ({
  'Fn::Join': [
    '',
    [
      'arn:',
      { Ref: 'AWS::Partition' },
      ':dynamodb:',
      { Ref: 'AWS::Region' },
      ':',
      { Ref: 'AWS::AccountId' },
      `:table/${name}${index}`,
    ],
  ],
})

describe.each(['staging', 'production'] as const)('in %s', (name) => {
  const template = templateOf('Restored', { ...stages[name], adopt: { pets: 'pets-of-yesterday' } })

  test('a table that exists can take the place of one of ours, and the others stay', () => {
    template.resourceCountIs('AWS::DynamoDB::Table', 2)
    expect(template.toJSON().Outputs).toMatchObject({
      PetsTable: { Value: 'pets-of-yesterday' },
      ApiKeysTable: { Value: { Ref: tableOf(template, 'digest') } },
      IdempotencyKeysTable: { Value: { Ref: tableOf(template, 'intent') } },
    })
  })

  test.each([
    ['listPets', 'dynamodb:Query', tableArn('pets-of-yesterday', '/index/byStatus')],
    ['createPet', ['dynamodb:GetItem', 'dynamodb:PutItem'], tableArn('pets-of-yesterday')],
  ])('%s is told of it, and may use it', (operation, Action, Resource) => {
    const { handler, role } = partsOf(template, operation)
    const statements = resource(template, role).Properties.Policies[0].PolicyDocument.Statement

    expect(handler.Environment.Variables.PETS_TABLE).toBe('pets-of-yesterday')
    // CDK makes one statement of those that allow the same with several tables.
    const rights = statements.flatMap((each: Statement) =>
      [each.Resource].flat().map((Resource) => ({ ...each, Resource })),
    )
    expect(rights).toContainEqual({ Effect: 'Allow', Action, Resource })
  })

  test('all tables can be such, and then the stack has none', () => {
    const adopt = { pets: 'old-pets', apiKeys: 'old-keys', idempotencyKeys: 'old-intents' }
    const all = templateOf('Restored', { ...stages[name], adopt })

    all.resourceCountIs('AWS::DynamoDB::Table', 0)
    expect(all.toJSON().Outputs).toMatchObject({
      PetsTable: { Value: 'old-pets' },
      ApiKeysTable: { Value: 'old-keys' },
      IdempotencyKeysTable: { Value: 'old-intents' },
    })
    for (const { Environment } of propertiesOf(all, 'AWS::Lambda::Function'))
      expect(Environment.Variables).toMatchObject({ PETS_TABLE: 'old-pets', API_KEYS_TABLE: 'old-keys' })
  })
})
