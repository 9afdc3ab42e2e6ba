import { expect, test } from 'vitest'
import { operationIds } from '../../../shared/contract.ts'
import { everyOption, only, onlyId, propertiesOf, resourcesOf, templateOf } from './template.ts'

const template = templateOf('production')
const topic = { Ref: onlyId(template, 'AWS::SNS::Topic') }
const alarms = resourcesOf(template, 'AWS::CloudWatch::Alarm').map(([id, { Properties }]) => ({
  name: id.slice(0, -8).replace('MonitoringAlarms', ''), // CDK appends a hash.
  ...Properties,
}))
const notifying = alarms.filter(({ AlarmActions }) => AlarmActions)

test('LogsMissing compares requests with the lines of the access log', () => {
  const { Metrics } = notifying.find(({ name }) => name === 'LogsMissing')

  const { DestinationArn } = only(template, 'AWS::ApiGateway::Stage').AccessLogSetting
  const lines = Metrics.find(({ Id }: { Id: string }) => Id === 'lines')
  const { Dimensions } = lines.MetricStat.Metric
  expect(Dimensions).toEqual([{ Name: 'LogGroupName', Value: { Ref: expect.any(String) } }])
  expect(JSON.stringify(DestinationArn)).toContain(`"${Dimensions[0].Value.Ref}"`)
})

test('alarms send mail when they go off and end, but ApiBroken not when it ends, and those of a canary never', () => {
  const comparison = {
    ComparisonOperator: 'GreaterThanThreshold',
    TreatMissingData: 'notBreaching',
  }
  for (const alarm of alarms) expect(alarm).toMatchObject(comparison)
  for (const { AlarmActions, OKActions, name } of notifying)
    expect([AlarmActions, OKActions]).toEqual([[topic], name === 'ApiBroken' ? undefined : [topic]])
  expect(alarms).toHaveLength(notifying.length + 2 * operationIds.length)
})

test('the topic accepts notifications only from alarms of the same account', () => {
  const { Topics, PolicyDocument } = only(template, 'AWS::SNS::TopicPolicy')

  // It refuses requests without TLS, as cdk-nag demands.
  const [refusal, ...others] = PolicyDocument.Statement
  const Condition = { StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } } }
  expect([Topics, refusal.Effect]).toEqual([[topic], 'Deny'])
  expect(others).toMatchObject([
    { Effect: 'Allow', Principal: { Service: 'cloudwatch.amazonaws.com' }, Condition },
  ])
})

test('the topic is an output, for other subscriptions', () => {
  expect(template.toJSON().Outputs.AlarmTopic.Value).toEqual(topic)
})

test('alarms are sent by e-mail only if the stage has an address', () => {
  const withAddress = templateOf('production', everyOption)

  const TopicArn = { Ref: onlyId(withAddress, 'AWS::SNS::Topic') }
  const subscription = { Protocol: 'email', Endpoint: 'on-call@example.com', TopicArn }
  expect(propertiesOf(withAddress, 'AWS::SNS::Subscription')).toEqual([subscription])
  template.resourceCountIs('AWS::SNS::Subscription', 0)
})
