import { describe, expect, test } from 'vitest'
import { operationIds } from '../../../shared/contract.ts'
import { functionOf, partsOf, production, resource, staging } from './template.ts'

test('staging takes a new version at once', () => {
  const aliases = Object.values(staging.findResources('AWS::Lambda::Alias'))

  expect(aliases).toHaveLength(operationIds.length)
  for (const alias of aliases) expect(alias).not.toHaveProperty('UpdatePolicy')
  staging.resourceCountIs('AWS::CodeDeploy::DeploymentGroup', 0)
  staging.resourceCountIs('AWS::CodeDeploy::Application', 0)
})

test('production has one deployment group a function', () => {
  production.resourceCountIs('AWS::CodeDeploy::DeploymentGroup', operationIds.length)
})

describe.each(operationIds)('production, with a new version of %s,', (operation) => {
  const { alias } = partsOf(production, operation)
  const update = alias.UpdatePolicy.CodeDeployLambdaAliasUpdate
  const group = resource(production, update.DeploymentGroupName.Ref).Properties
  const alarms = group.AlarmConfiguration.Alarms.map(
    ({ Name }: { Name: { Ref: string } }) => resource(production, Name.Ref).Properties,
  )
  const handler = { Ref: functionOf(production, operation) }
  const ofNewVersion = [
    { Name: 'ExecutedVersion', Value: alias.Properties.FunctionVersion },
    { Name: 'FunctionName', Value: handler },
    { Name: 'Resource', Value: { 'Fn::Join': ['', [handler, ':live']] } },
  ]

  test('gives it 10 % for 5 minutes, and takes it back by itself', () => {
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

  test('takes it back when it crashes, answers 500, or is slow', () => {
    expect(alarms).toEqual([
      expect.objectContaining({
        Namespace: 'AWS/Lambda',
        MetricName: 'Errors',
        Dimensions: ofNewVersion,
        Statistic: 'Sum',
        Threshold: 0,
        Period: 60,
        EvaluationPeriods: 1,
      }),
      expect.objectContaining({
        Namespace: 'PetStoreProduction',
        MetricName: 'InternalErrors',
        Dimensions: [
          { Name: 'Operation', Value: operation },
          { Name: 'Version', Value: alias.Properties.FunctionVersion },
        ],
        Statistic: 'Sum',
        Threshold: 0,
        Period: 60,
        EvaluationPeriods: 1,
      }),
      expect.objectContaining({
        Namespace: 'AWS/Lambda',
        MetricName: 'Duration',
        Dimensions: ofNewVersion,
        ExtendedStatistic: 'p99',
        Threshold: 3000,
        Period: 60,
        EvaluationPeriods: 2,
      }),
    ])
  })

  test('lets CodeDeploy do that, and nobody else', () => {
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
