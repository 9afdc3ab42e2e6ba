import { describe, expect, test } from 'vitest'
import { functionOf, production, resource, staging, tableOf } from './template.ts'

const arn = (logicalId: string) => ({ 'Fn::GetAtt': [logicalId, 'Arn'] })
const allow = (Action: string | string[], Resource: unknown) => ({ Effect: 'Allow', Action, Resource })

describe.each([
  { name: 'staging', template: staging, keyPrefix: 'test' },
  { name: 'production', template: production, keyPrefix: 'live' },
])('in $name', ({ template, keyPrefix }) => {
  const pets = tableOf(template, 'id')
  const apiKeys = tableOf(template, 'digest')
  const partsOf = (operation: string) => {
    const handler = resource(template, functionOf(template, operation)).Properties
    const logGroup: string = handler.LoggingConfig.LogGroup.Ref
    return { handler, logGroup, role: resource(template, handler.Role['Fn::GetAtt'][0]).Properties }
  }

  test.each(['listPets', 'createPet', 'getPet'])(
    'the function of %s is small, current and told what it needs',
    (id) => {
      const { handler } = partsOf(id)

      expect(handler).toEqual({
        Architectures: ['arm64'],
        Code: expect.anything(),
        Environment: {
          Variables: {
            API_KEYS_TABLE: { Ref: apiKeys },
            KEY_PREFIX: keyPrefix,
            PETS_TABLE: { Ref: pets },
            READ_SHARDS: '1',
            WRITE_SHARDS: '1',
          },
        },
        Handler: 'index.handler',
        LoggingConfig: { LogFormat: 'JSON', LogGroup: { Ref: expect.any(String) } },
        MemorySize: 1024,
        Role: { 'Fn::GetAtt': [expect.any(String), 'Arn'] },
        Runtime: 'nodejs24.x',
        Timeout: 10,
      })
    },
  )

  test.each([
    [
      'listPets',
      [
        allow('dynamodb:GetItem', arn(apiKeys)),
        allow('dynamodb:Query', { 'Fn::Join': ['', [arn(pets), '/index/byStatus']] }),
      ],
    ],
    [
      'createPet',
      [allow('dynamodb:GetItem', arn(apiKeys)), allow(['dynamodb:GetItem', 'dynamodb:PutItem'], arn(pets))],
    ],
    ['getPet', [allow('dynamodb:GetItem', [arn(apiKeys), arn(pets)])]],
  ])('the function of %s may do its work, log, and nothing else', (id, work) => {
    const { role, logGroup } = partsOf(id)

    const log = allow(['logs:CreateLogStream', 'logs:PutLogEvents'], arn(logGroup))
    expect(role).toEqual({
      AssumeRolePolicyDocument: {
        Version: '2012-10-17',
        Statement: [{ Effect: 'Allow', Action: 'sts:AssumeRole', Principal: { Service: 'lambda.amazonaws.com' } }],
      },
      Policies: [{ PolicyName: 'Operation', PolicyDocument: { Version: '2012-10-17', Statement: [...work, log] } }],
    })
  })

  test('no function shares its role or its log group, and no policy stands beside the roles', () => {
    template.resourceCountIs('AWS::Lambda::Function', 3)
    template.resourceCountIs('AWS::IAM::Role', 3)
    template.resourceCountIs('AWS::Logs::LogGroup', 3)
    template.resourceCountIs('AWS::IAM::Policy', 0)
    template.resourceCountIs('AWS::IAM::ManagedPolicy', 0)
    const logGroups = ['listPets', 'createPet', 'getPet'].map((id) => partsOf(id).logGroup)
    expect(new Set(logGroups).size).toBe(3)
  })
})
