import { expect, test } from 'vitest'
import { tableActions } from '../../../infra/platform/functions.ts'
import { stages } from '../../../infra/stages.ts'
import { entries, operationIds } from '../../../shared/contract.ts'
import { tableVariable } from '../../../shared/data/tables.ts'
import { everyOption, onlyId, partsOf, resource, tableOf, templateOf } from './template.ts'

const production = templateOf('production')
const hookId = onlyId(production, 'AWS::Lambda::Function', {
  Environment: { Variables: { NEW_VERSIONS: {} } },
})
const arn = (logicalId: string) => ({ 'Fn::GetAtt': [logicalId, 'Arn'] })

type Statement = { Effect: string; Action: string | string[]; Resource: unknown }

const allow = (Action: string | string[], Resource: unknown): Statement => ({
  Effect: 'Allow',
  Action,
  Resource,
})

/** The effect of each action on each resource, because CDK merges statements. */
const permissionsOf = (statements: Statement[]) =>
  new Set(
    statements.flatMap(({ Effect, Action, Resource }) =>
      [Action]
        .flat()
        .flatMap((action) =>
          [Resource].flat().map((place) => JSON.stringify([Effect, action, place])),
        ),
    ),
  )

/** Expects that a function may do this, and write its own log, and nothing else. */
const expectPermissions = (role: string, logGroup: string, expected: Statement[]) => {
  const { Policies, AssumeRolePolicyDocument, ...others } = resource(production, role).Properties
  const writeLog = allow(['logs:CreateLogStream', 'logs:PutLogEvents'], arn(logGroup))
  expect(Policies).toHaveLength(1)
  expect(permissionsOf(Policies[0].PolicyDocument.Statement)).toEqual(
    permissionsOf([...expected, writeLog]),
  )
  const Principal = { Service: 'lambda.amazonaws.com' }
  expect(AssumeRolePolicyDocument.Statement).toMatchObject([{ Principal }])
  expect(others).toEqual({})
}

test.each([
  ['staging', 0],
  ['production', 1], // With a canary release.
] as const)(
  'in %s, each operation has its own function, beside %d hooks, and roles have only inline policies',
  (stage, hooks) => {
    const template = templateOf(stage)

    template.resourceCountIs('AWS::Lambda::Function', operationIds.length + hooks)
    template.resourceCountIs('AWS::IAM::Policy', 0)
    template.resourceCountIs('AWS::IAM::ManagedPolicy', 0)
  },
)

// With others, a release would replace the function, its log and its alias.
test('an operation keeps the logical ids of its parts', () => {
  const { functionId, role, logGroup, aliasId } = partsOf(production, 'createPet')

  expect([functionId, role, logGroup, aliasId]).toEqual([
    'createPetFunction8C36C800',
    'createPetRole2B49107D',
    'createPetLogs98A649C6',
    'createPetLiveC7FE6398',
  ])
})

test.each(operationIds)(
  'the function of %s has its permissions, tables and settings',
  (operation) => {
    const { handler, role, logGroup } = partsOf(production, operation)
    const granted = tableActions(entries[operation])
    const permissions = granted.map(({ table, index, actions }) => {
      const own = arn(tableOf(production, table))
      const names = actions.map((action) => `dynamodb:${action}`)
      return allow(names, index ? { 'Fn::Join': ['', [own, `/index/${index}`]] } : own)
    })
    const names = granted.map(({ table }) => [
      tableVariable(table),
      { Ref: tableOf(production, table) },
    ])
    const { keyPrefix, readShards, writeShards } = stages.production

    expectPermissions(role, logGroup, permissions)
    expect(handler).toMatchObject({
      LoggingConfig: { LogFormat: 'JSON', LogGroup: { Ref: logGroup } },
      Timeout: 10,
    })
    expect(handler.Environment.Variables).toEqual({
      KEY_PREFIX: keyPrefix,
      READ_SHARDS: `${readShards}`,
      WRITE_SHARDS: `${writeShards}`,
      ...Object.fromEntries(names),
    })
  },
)

test.each(operationIds.filter((id) => entries[id].method === 'GET'))('%s may only read', (id) => {
  const actions = tableActions(entries[id]).flatMap(({ actions }) => actions)

  expect(actions.filter((action) => !['GetItem', 'Query'].includes(action))).toEqual([])
})

test.each(operationIds)('OPERATE.md finds in a variable of %s whether it may write', (id) => {
  const { Variables } = partsOf(production, id).handler.Environment

  expect('IDEMPOTENCY_KEYS_TABLE' in Variables).toBe(entries[id].method !== 'GET')
})

test.each(operationIds)('the alias of %s is its newest version; old ones are retained', (id) => {
  const { Name, FunctionVersion } = partsOf(production, id).alias.Properties
  const [version, attribute] = FunctionVersion['Fn::GetAtt']

  expect([Name, attribute]).toEqual(['live', 'Version'])
  expect(resource(production, version)).toMatchObject({
    Type: 'AWS::Lambda::Version',
    DeletionPolicy: 'RetainExceptOnCreate',
    UpdateReplacePolicy: 'Retain',
  })
})

test.each(operationIds)(
  '%s has the reserved concurrency and the public address of the stage',
  (operation) => {
    const { handler } = partsOf(templateOf('production', everyOption), operation)

    expect(handler.ReservedConcurrentExecutions).toBe(5)
    expect(handler.Environment.Variables.PUBLIC_BASE_URL).toBe('https://shop.example.com/api')
  },
)

const application = { Ref: onlyId(production, 'AWS::CodeDeploy::Application') }

test('in production, a hook may store API keys, invoke all new versions and report to CodeDeploy, and nothing else', () => {
  const { Environment, Role, LoggingConfig } = resource(production, hookId).Properties
  const [role] = Role['Fn::GetAtt']
  const parts = operationIds.map((id) => partsOf(production, id))
  const names = parts.flatMap(({ functionId, alias }) => [
    { Ref: functionId },
    ':',
    alias.Properties.FunctionVersion,
    ',',
  ])
  const versions = parts.map(({ alias }) => ({
    Ref: alias.Properties.FunctionVersion['Fn::GetAtt'][0],
  }))
  const apiKeys = tableOf(production, 'apiKeys')
  const [Partition, Region, AccountId] = ['Partition', 'Region', 'AccountId'].map((name) => ({
    Ref: `AWS::${name}`,
  }))
  const arns = ['arn:', Partition, ':codedeploy:', Region, ':', AccountId, ':deploymentgroup:']
  const groups = { 'Fn::Join': ['', [...arns, application, '/*']] }

  expect(Environment.Variables).toMatchObject({
    NEW_VERSIONS: { 'Fn::Join': ['', names.slice(0, -1)] },
    KEY_PREFIX: 'live',
    API_KEYS_TABLE: { Ref: apiKeys },
  })
  expectPermissions(role, LoggingConfig.LogGroup.Ref, [
    allow('dynamodb:PutItem', arn(apiKeys)),
    allow('lambda:InvokeFunction', versions),
    allow('codedeploy:PutLifecycleEventHookExecutionStatus', groups),
  ])
})

test.each(operationIds)(
  'in production, a new version of %s is invoked by the hook, gets a tenth of the requests for 10 minutes, and is rolled back by an alarm',
  (operation) => {
    const { alias, functionId } = partsOf(production, operation)
    const update = alias.UpdatePolicy.CodeDeployLambdaAliasUpdate
    const group = resource(production, update.DeploymentGroupName.Ref).Properties
    const alarms = group.AlarmConfiguration.Alarms.map(
      ({ Name }: { Name: { Ref: string } }) => resource(production, Name.Ref).Properties,
    )
    const FunctionName = { Ref: functionId }
    const version = alias.Properties.FunctionVersion
    const alarm = (MetricName: string, dimensions: object) => ({
      MetricName,
      Threshold: 0,
      Period: 60,
      EvaluationPeriods: 1,
      WarmUpConfiguration: { WarmUpPeriodDurationInMinutes: 1 },
      Statistic: 'Sum',
      Dimensions: Object.entries(dimensions).map(([Name, Value]) => ({ Name, Value })),
    })
    const Resource = { 'Fn::Join': ['', [FunctionName, ':live']] }

    expect(update.BeforeAllowTrafficHook).toEqual({ Ref: hookId })
    expect(alias.DependsOn).toContain(hookId)
    expect(resource(production, group.ServiceRoleArn['Fn::GetAtt'][0]).Properties).toMatchObject({
      Policies: [{ PolicyDocument: { Statement: [allow('lambda:InvokeFunction', arn(hookId))] } }],
    })
    expect(update.ApplicationName).toEqual(application)
    expect(group).toMatchObject({
      ApplicationName: application,
      DeploymentConfigName: 'CodeDeployDefault.LambdaCanary10Percent10Minutes',
      AutoRollbackConfiguration: {
        Enabled: true,
        Events: ['DEPLOYMENT_FAILURE', 'DEPLOYMENT_STOP_ON_ALARM'],
      },
      AlarmConfiguration: { Enabled: true },
    })
    expect(alarms).toMatchObject([
      alarm('Errors', { ExecutedVersion: version, FunctionName, Resource }),
      alarm('InternalErrors', { Operation: operation, Version: version }),
    ])
  },
)
