import { describe, expect, test } from 'vitest'
import { operationIds } from '../../../shared/contract.ts'
import { partsOf, production, propertiesOf, resource, staging, tableOf } from './template.ts'

const operations = ['listPets', 'createPet', 'getPet']
const arn = (logicalId: string) => ({ 'Fn::GetAtt': [logicalId, 'Arn'] })
const allow = (Action: string | string[], Resource: unknown) => ({ Effect: 'Allow', Action, Resource })

describe.each([
  { name: 'staging', template: staging, keyPrefix: 'test' },
  { name: 'production', template: production, keyPrefix: 'live' },
])('in $name', ({ template, keyPrefix }) => {
  const pets = tableOf(template, 'id')
  const apiKeys = tableOf(template, 'digest')
  const idempotencyKeys = tableOf(template, 'intent')

  test.each(operations)('the function of %s is small, current, traced, and told what it needs', (operation) => {
    const { handler, role, logGroup } = partsOf(template, operation)

    expect(handler).toEqual({
      Architectures: ['arm64'],
      Code: expect.anything(),
      Environment: {
        Variables: {
          API_KEYS_TABLE: { Ref: apiKeys },
          KEY_PREFIX: keyPrefix,
          PETS_TABLE: { Ref: pets },
          ...(operation === 'createPet' && { IDEMPOTENCY_KEYS_TABLE: { Ref: idempotencyKeys } }),
          READ_SHARDS: '1',
          WRITE_SHARDS: '1',
        },
      },
      Handler: 'start.handler',
      LoggingConfig: { LogFormat: 'JSON', LogGroup: { Ref: logGroup } },
      MemorySize: 1024,
      Role: arn(role),
      Runtime: 'nodejs24.x',
      Timeout: 10,
      TracingConfig: { Mode: 'Active' },
    })
  })

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
      [
        allow('dynamodb:GetItem', arn(apiKeys)),
        allow(['dynamodb:GetItem', 'dynamodb:PutItem'], [arn(idempotencyKeys), arn(pets)]),
      ],
    ],
    ['getPet', [allow('dynamodb:GetItem', [arn(apiKeys), arn(pets)])]],
  ])('the function of %s may do its work, log, trace, and nothing else', (operation, work) => {
    const { role, logGroup } = partsOf(template, operation)
    const { Policies, ...rest } = resource(template, role).Properties
    const attached = propertiesOf(template, 'AWS::IAM::Policy').filter(({ Roles }) => Roles[0].Ref === role)

    const statements = [...Policies, ...attached].flatMap(({ PolicyDocument }) => PolicyDocument.Statement)
    expect(statements).toEqual([
      ...work,
      allow(['logs:CreateLogStream', 'logs:PutLogEvents'], arn(logGroup)),
      // X-Ray's actions know no resource but all.
      allow(['xray:PutTelemetryRecords', 'xray:PutTraceSegments'], '*'),
    ])
    expect(rest).toEqual({
      AssumeRolePolicyDocument: {
        Version: '2012-10-17',
        Statement: [{ Effect: 'Allow', Action: 'sts:AssumeRole', Principal: { Service: 'lambda.amazonaws.com' } }],
      },
    })
  })

  test.each(operations)('what is live of %s is its newest version; versions stay, to go back to', (operation) => {
    const { Name, FunctionVersion } = partsOf(template, operation).alias.Properties
    const [version, attribute] = FunctionVersion['Fn::GetAtt']

    expect([Name, attribute]).toEqual(['live', 'Version'])
    expect(resource(template, version)).toMatchObject({
      Type: 'AWS::Lambda::Version',
      DeletionPolicy: 'RetainExceptOnCreate',
      UpdateReplacePolicy: 'Retain',
    })
  })

  test('no function shares its role or its log group, and no other policy stands in the stack', () => {
    const parts = operationIds.map((operation) => partsOf(template, operation))

    expect(new Set(parts.flatMap(({ role, logGroup }) => [role, logGroup])).size).toBe(2 * operationIds.length)
    template.resourceCountIs('AWS::Lambda::Function', operationIds.length)
    template.resourceCountIs('AWS::IAM::Policy', operationIds.length)
    template.resourceCountIs('AWS::IAM::ManagedPolicy', 0)
  })
})
