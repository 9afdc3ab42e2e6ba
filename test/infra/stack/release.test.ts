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
    const always = { Threshold: 0, Period: 60, EvaluationPeriods: 1 }
    const lambda = { ...always, Namespace: 'AWS/Lambda', Dimensions: newVersion }
    const Dimensions = [
      { Name: 'Operation', Value: operation },
      { Name: 'Version', Value: alias.Properties.FunctionVersion },
    ]

    expect(alarms).toMatchObject([
      { ...lambda, MetricName: 'Errors', Statistic: 'Sum' },
      { ...always, Namespace: 'PetStoreProduction', MetricName: 'InternalErrors', Dimensions, Statistic: 'Sum' },
      { ...lambda, MetricName: 'Duration', ExtendedStatistic: 'p99', Threshold: 3000, EvaluationPeriods: 2 },
    ])
    production.resourceCountIs('AWS::CodeDeploy::DeploymentGroup', operationIds.length)
  })
})
