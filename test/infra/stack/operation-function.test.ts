import { expect, test } from 'vitest'
import { permissions } from '../../../infra/functions.ts'
import { stages } from '../../../infra/stages.ts'
import { contract, entries, operationIds } from '../../../shared/contract.ts'
import { tableVariable } from '../../../shared/data/tables.ts'
import { collections } from '../../../shared/service.ts'
import {
  everyOption,
  onlyId,
  partsOf,
  resource,
  resourcesOf,
  tableOf,
  templateOf,
} from './template.ts'

const arn = (logicalId: string) => ({ 'Fn::GetAtt': [logicalId, 'Arn'] })

type Statement = { Effect: string; Action: string | string[]; Resource: unknown }

const allow = (Action: string | string[], Resource: unknown): Statement => ({
  Effect: 'Allow',
  Action,
  Resource,
})
const writeLog = (log: string) => allow(['logs:CreateLogStream', 'logs:PutLogEvents'], arn(log))

/** The effect of each action on each resource: CDK merges statements. */
const rightsOf = (statements: Statement[]) =>
  new Set(
    statements.flatMap(({ Effect, Action, Resource }) =>
      [Action]
        .flat()
        .flatMap((action) =>
          [Resource].flat().map((place) => JSON.stringify([Effect, action, place])),
        ),
    ),
  )

const production = templateOf('production')

// A contract entry is all that a new operation needs.
test.each([
  ['staging', 0, 0, 0],
  // With a canary release: the hook, its right to report to CodeDeploy, and CodeDeploy's right to
  // invoke it.
  ['production', 1, 2, operationIds.length],
] as const)(
  'in %s, each operation has its own function, and there are no other policies',
  (stage, hooks, policies, groups) => {
    const template = templateOf(stage)

    template.resourceCountIs('AWS::Lambda::Function', operationIds.length + hooks)
    template.resourceCountIs('AWS::Lambda::Permission', operationIds.length)
    template.resourceCountIs('AWS::CodeDeploy::DeploymentGroup', groups)
    // One for all groups: a stack has 500 resources.
    template.resourceCountIs('AWS::CodeDeploy::Application', hooks)
    template.resourceCountIs('AWS::IAM::Policy', policies)
    template.resourceCountIs('AWS::IAM::ManagedPolicy', 0)
  },
)

test.each(operationIds)(
  'the function of %s has the expected settings and environment',
  (operation) => {
    const { handler, role, logGroup } = partsOf(production, operation)
    const entry = entries[operation]
    const used = permissions(entry).map(({ table }) => [
      tableVariable(table),
      { Ref: tableOf(production, table) },
    ])
    const { keyPrefix, readShards, writeShards } = stages.production
    const isSharded = Object.keys(entry.access).some((table) => table in collections)

    expect(handler.Environment.Variables).toEqual({
      KEY_PREFIX: keyPrefix,
      ...(isSharded && { READ_SHARDS: `${readShards}`, WRITE_SHARDS: `${writeShards}` }),
      ...Object.fromEntries(used),
    })
    const LoggingConfig = { LogFormat: 'JSON', LogGroup: { Ref: logGroup } }
    expect(handler).toMatchObject({ LoggingConfig, Role: arn(role), Timeout: 10 })
  },
)

test.each(operationIds)(
  'the function of %s may access its data and log, and nothing else',
  (operation) => {
    const { role, logGroup } = partsOf(production, operation)
    const { Policies, AssumeRolePolicyDocument, ...rest } = resource(production, role).Properties
    const data = permissions(contract[operation]).map(({ table, index, actions }) => {
      const own = arn(tableOf(production, table))
      const names = actions.map((action) => `dynamodb:${action}`)
      return allow(names, index ? { 'Fn::Join': ['', [own, `/index/${index}`]] } : own)
    })

    expect(Policies).toHaveLength(1)
    expect(rightsOf(Policies[0].PolicyDocument.Statement)).toEqual(
      rightsOf([...data, writeLog(logGroup)]),
    )
    const Principal = { Service: 'lambda.amazonaws.com' }
    expect(AssumeRolePolicyDocument.Statement).toMatchObject([{ Principal }])
    expect(rest).toEqual({})
  },
)

test.each(operationIds)(
  'the live version of %s is its newest, and old versions are retained',
  (operation) => {
    const { Name, FunctionVersion } = partsOf(production, operation).alias.Properties
    const [version, attribute] = FunctionVersion['Fn::GetAtt']

    expect([Name, attribute]).toEqual(['live', 'Version'])
    expect(resource(production, version)).toMatchObject({
      Type: 'AWS::Lambda::Version',
      DeletionPolicy: 'RetainExceptOnCreate',
      UpdateReplacePolicy: 'Retain',
    })
  },
)

test('functions of operations have reserved concurrency if the stage sets it', () => {
  const limited = templateOf('production', everyOption)

  const reserved = operationIds.map(
    (id) => partsOf(limited, id).handler.ReservedConcurrentExecutions,
  )
  expect(reserved).toEqual(Array(operationIds.length).fill(5))
})

const READS = ['BatchGetItem', 'GetItem', 'Query', 'Scan']

// That a GET needs no other rights follows from what it is.
test.each(operationIds.filter((id) => contract[id].method === 'GET'))('%s may only read', (id) => {
  const actions = permissions(contract[id]).flatMap(({ actions }) => actions)

  expect(actions.filter((action) => !READS.includes(action))).toEqual([])
})

const hookId = onlyId(production, 'AWS::Lambda::Function', {
  Environment: { Variables: { NEW_VERSIONS: {} } },
})
const invokeHookId = onlyId(production, 'AWS::IAM::Policy', {
  PolicyDocument: {
    Statement: [{ Action: 'lambda:InvokeFunction', Effect: 'Allow', Resource: arn(hookId) }],
  },
})

test('in production, a hook may store API keys, invoke all new versions and report to CodeDeploy, and nothing else', () => {
  const { Environment, Role, LoggingConfig } = resource(production, hookId).Properties
  const [role] = Role['Fn::GetAtt']
  const aliases = operationIds.map((id) => partsOf(production, id).alias.Properties)
  const versions = aliases.map(({ FunctionVersion }) => ({ Ref: FunctionVersion['Fn::GetAtt'][0] }))
  const groups = resourcesOf(production, 'AWS::CodeDeploy::DeploymentGroup').map(([Ref]) => ({
    Ref,
  }))
  const policy = onlyId(production, 'AWS::IAM::Policy', { Roles: [{ Ref: role }] })
  const apiKeys = tableOf(production, 'apiKeys')

  const [own, ...others] = resource(production, role).Properties.Policies
  const [report, ...more] = resource(production, policy).Properties.PolicyDocument.Statement
  expect(Environment.Variables).toMatchObject({
    NEW_VERSIONS: { 'Fn::Join': ['', versions.flatMap((version) => [',', version]).slice(1)] },
    KEY_PREFIX: 'live',
    API_KEYS_TABLE: { Ref: apiKeys },
  })
  const data = [allow('dynamodb:PutItem', arn(apiKeys)), allow('lambda:InvokeFunction', versions)]
  expect(rightsOf(own.PolicyDocument.Statement)).toEqual(
    rightsOf([...data, writeLog(LoggingConfig.LogGroup.Ref)]),
  )
  expect(report).toEqual(
    allow('codedeploy:PutLifecycleEventHookExecutionStatus', expect.anything()),
  )
  const places: { 'Fn::Join': [string, unknown[]] }[] = report.Resource
  expect(new Set(places.map((place) => place['Fn::Join'][1].at(-1)))).toEqual(new Set(groups))
  expect([...others, ...more]).toEqual([])
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
    const dimensions = (values: object) =>
      Object.entries(values).map(([Name, Value]) => ({ Name, Value }))
    const always = { Threshold: 0, Period: 60, EvaluationPeriods: 1, Statistic: 'Sum' }
    const Resource = { 'Fn::Join': ['', [FunctionName, ':live']] }

    expect(update).toEqual({
      ApplicationName: group.ApplicationName,
      DeploymentGroupName: { Ref: expect.any(String) },
      BeforeAllowTrafficHook: { Ref: hookId },
    })
    expect(alias.DependsOn).toEqual(expect.arrayContaining([hookId, invokeHookId]))
    expect(group).toMatchObject({
      DeploymentConfigName: 'CodeDeployDefault.LambdaCanary10Percent10Minutes',
      AutoRollbackConfiguration: {
        Enabled: true,
        Events: ['DEPLOYMENT_FAILURE', 'DEPLOYMENT_STOP_ON_ALARM'],
      },
      AlarmConfiguration: { Enabled: true },
    })
    expect(alarms).toMatchObject([
      {
        ...always,
        MetricName: 'Errors',
        Dimensions: dimensions({ ExecutedVersion: version, FunctionName, Resource }),
      },
      {
        ...always,
        MetricName: 'InternalErrors',
        Dimensions: dimensions({ Operation: operation, Version: version }),
      },
    ])
  },
)
