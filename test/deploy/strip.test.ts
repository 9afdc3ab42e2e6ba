import { expect, test } from 'vitest'
import { strip } from './strip.ts'

const FUNCTION = { Type: 'AWS::Lambda::Function' }
const SIMPLE_ALARM = { Type: 'AWS::CloudWatch::Alarm', Properties: { MetricName: 'Errors' } }

test('takes out what the emulator refuses, and nothing else', () => {
  const { kept, taken } = strip({
    Resources: {
      Function: FUNCTION,
      Group: { Type: 'AWS::CodeDeploy::DeploymentGroup' },
      Query: { Type: 'AWS::Logs::QueryDefinition' },
      Ratio: { Type: 'AWS::CloudWatch::Alarm', Properties: { Metrics: [] } },
      Errors: SIMPLE_ALARM,
    },
  })

  expect(kept).toEqual({ Resources: { Function: FUNCTION, Errors: SIMPLE_ALARM } })
  expect(taken).toEqual(['Resources.Group', 'Resources.Query', 'Resources.Ratio'])
})

test('takes out what refers to it: a whole update policy or output, elsewhere the reference alone', () => {
  const group = { Ref: 'Group' }
  const UpdatePolicy = { CodeDeployLambdaAliasUpdate: { ApplicationName: 'x', DeploymentGroupName: group } }

  const { kept, taken } = strip({
    Resources: {
      Group: { Type: 'AWS::CodeDeploy::DeploymentGroup' },
      Alias: {
        Type: 'AWS::Lambda::Alias',
        DependsOn: ['Group', 'Function'],
        UpdatePolicy,
        Properties: { Name: 'live' },
      },
      Function: {
        ...FUNCTION,
        DependsOn: 'Group',
        Properties: { A: { 'Fn::GetAtt': ['Group', 'Arn'] }, B: ['b', group] },
      },
    },
    Outputs: { Group: { Value: { 'Fn::Join': ['', ['arn:', group]] } }, Alias: { Value: { Ref: 'Alias' } } },
  })

  expect(kept).toEqual({
    Resources: {
      Alias: { Type: 'AWS::Lambda::Alias', DependsOn: ['Function'], Properties: { Name: 'live' } },
      Function: { ...FUNCTION, Properties: { B: ['b'] } },
    },
    Outputs: { Alias: { Value: { Ref: 'Alias' } } },
  })
  expect(taken).toEqual([
    'Resources.Group',
    'Resources.Alias.DependsOn.0',
    'Resources.Alias.UpdatePolicy',
    'Resources.Function.DependsOn',
    'Resources.Function.Properties.A',
    'Resources.Function.Properties.B.1',
    'Outputs.Group',
  ])
})
