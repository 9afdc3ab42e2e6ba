import { describe, expect, test } from 'vitest'
import { operationIds } from '../../../shared/contract.ts'
import { functionOf, partsOf, resource, resourcesOf, templateOf } from './template.ts'

const staging = templateOf('staging')
const production = templateOf('production')

test('staging moves all requests to a new version at once', () => {
  const aliases = resourcesOf(staging, 'AWS::Lambda::Alias').map(([, alias]) => alias)

  expect(aliases).toHaveLength(operationIds.length)
  for (const alias of aliases) expect(alias).not.toHaveProperty('UpdatePolicy')
  staging.resourceCountIs('AWS::CodeDeploy::DeploymentGroup', 0)
  staging.resourceCountIs('AWS::CodeDeploy::Application', 0)
})

test('production has one deployment group for each function', () => {
  production.resourceCountIs('AWS::CodeDeploy::DeploymentGroup', operationIds.length)
})

describe.each(operationIds)('in production, a new version of %s', (operation) => {
  const { alias } = partsOf(production, operation)
  const update = alias.UpdatePolicy.CodeDeployLambdaAliasUpdate
  const group = resource(production, update.DeploymentGroupName.Ref).Properties
  const alarms = group.AlarmConfiguration.Alarms.map(
    ({ Name }: { Name: { Ref: string } }) => resource(production, Name.Ref).Properties,
  )
  const handler = { Ref: functionOf(production, operation) }
  const newVersion = [
    { Name: 'ExecutedVersion', Value: alias.Properties.FunctionVersion },
    { Name: 'FunctionName', Value: handler },
    { Name: 'Resource', Value: { 'Fn::Join': ['', [handler, ':live']] } },
  ]
  const alarmOn = (properties: object) =>
    expect.objectContaining({ Threshold: 0, Period: 60, EvaluationPeriods: 1, ...properties })

  test('gets 10 % of the requests for 5 minutes, and is rolled back by an alarm', () => {
    expect(update).toEqual({
      ApplicationName: group.ApplicationName,
      DeploymentGroupName: { Ref: expect.any(String) },
    })
    expect(group).toMatchObject({
      DeploymentConfigName: 'CodeDeployDefault.LambdaCanary10Percent5Minutes',
      DeploymentStyle: { DeploymentOption: 'WITH_TRAFFIC_CONTROL', DeploymentType: 'BLUE_GREEN' },
      AutoRollbackConfiguration: { Enabled: true, Events: ['DEPLOYMENT_FAILURE', 'DEPLOYMENT_STOP_ON_ALARM'] },
      AlarmConfiguration: { Enabled: true },
    })
  })

  test('is rolled back if it crashes, returns 500 or is slow', () => {
    const lambda = { Namespace: 'AWS/Lambda', Dimensions: newVersion }
    const version = [
      { Name: 'Operation', Value: operation },
      { Name: 'Version', Value: alias.Properties.FunctionVersion },
    ]

    expect(alarms).toEqual([
      alarmOn({ ...lambda, MetricName: 'Errors', Statistic: 'Sum' }),
      alarmOn({
        Namespace: 'PetStoreProduction',
        MetricName: 'InternalErrors',
        Dimensions: version,
        Statistic: 'Sum',
      }),
      alarmOn({
        ...lambda,
        MetricName: 'Duration',
        ExtendedStatistic: 'p99',
        Threshold: 3000,
        EvaluationPeriods: 2,
      }),
    ])
  })

  test('is released by CodeDeploy and nobody else', () => {
    const role = resource(production, group.ServiceRoleArn['Fn::GetAtt'][0]).Properties

    expect(role.AssumeRolePolicyDocument.Statement).toEqual([
      { Effect: 'Allow', Action: 'sts:AssumeRole', Principal: { Service: 'codedeploy.amazonaws.com' } },
    ])
    expect(role.ManagedPolicyArns[0]['Fn::Join'][1].at(-1)).toBe(
      ':iam::aws:policy/service-role/AWSCodeDeployRoleForLambdaLimited',
    )
    expect(role).not.toHaveProperty('Policies')
  })
})
