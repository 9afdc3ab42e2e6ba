import type { Template } from 'aws-cdk-lib/assertions'
import { expect, test } from 'vitest'
import { operationIds } from '../../../shared/contract.ts'
import { both, everyOption, only, onlyId, propertiesOf, resourcesOf, templateOf } from './template.ts'

const above = (Threshold: number, EvaluationPeriods: number) => ({ Threshold, EvaluationPeriods })
const sumOf = (MetricName: string) => ({ MetricStat: { Metric: { MetricName }, Period: 300, Stat: 'Sum' } })
// CloudWatch requires an order of the series.
const GROUPED = 'GROUP BY "Method", "Resource" ORDER BY SUM() DESC'

const symptomsOf = (stackName: string) => ({
  ApiFails: {
    ...above(1, 1),
    Metrics: [{ Expression: 'IF(part >= 5, 100 * part / whole, 0)' }, sumOf('5XXError'), sumOf('Count')],
  },
  ApiDown: { ...above(0.99, 3), DatapointsToAlarm: 2, MetricName: '5XXError', Statistic: 'Average', Period: 300 },
  OperationFails: {
    ...above(4, 1),
    Metrics: [
      {
        Expression: `SELECT SUM("ServerErrors") FROM SCHEMA("${stackName}", "Method", "Resource") ${GROUPED}`,
        Period: 300,
      },
    ],
  },
  ApiSlow: { ...above(2000, 3), MetricName: 'Latency', ExtendedStatistic: 'p99', Period: 300 },
  ApiThrottles: {
    ...above(5, 2),
    Metrics: [{ Expression: '100 * part / whole' }, sumOf('ApiThrottled'), sumOf('Count')],
  },
})

// They are tested in operation-function.test.ts.
const VERSION_ALARMS = operationIds.flatMap((id) => [`${id}Crashes`, `${id}InternalErrors`])

const template = templateOf('production')
const topic = { Ref: onlyId(template, 'AWS::SNS::Topic') }
const alarmsIn = (template: Template) =>
  resourcesOf(template, 'AWS::CloudWatch::Alarm').map(([id, { Properties }]) => ({
    ...Properties,
    id: id.slice('MonitoringAlarms'.length, -8), // CDK appends a hash of 8 characters.
  }))

test.each(both())('$stage has an alarm for each symptom, and no other but those of versions', (each) => {
  const expected = symptomsOf(each.stackName)
  const found = Object.fromEntries(alarmsIn(each.template).map((alarm) => [alarm.id, alarm]))

  expect(Object.keys(found).sort()).toEqual([...Object.keys(expected), ...VERSION_ALARMS].sort())
  expect(found).toMatchObject(expected)
})

test('alarms are silent without requests, and say when they end, but for those of a version', () => {
  for (const { id, ...alarm } of alarmsIn(template)) {
    expect(alarm).toMatchObject({
      AlarmActions: [topic],
      ComparisonOperator: 'GreaterThanThreshold',
      TreatMissingData: 'notBreaching',
    })
    expect(alarm.OKActions).toEqual(VERSION_ALARMS.includes(id) ? undefined : [topic])
  }
})

test('the topic accepts notifications only from alarms of the same account', () => {
  const { Topics, PolicyDocument } = only(template, 'AWS::SNS::TopicPolicy')

  const [refusal, ...others] = PolicyDocument.Statement // It refuses requests without TLS, as cdk-nag demands.
  const Condition = { StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } } }
  expect([Topics, refusal.Effect]).toEqual([[topic], 'Deny'])
  expect(others).toMatchObject([{ Effect: 'Allow', Principal: { Service: 'cloudwatch.amazonaws.com' }, Condition }])
})

test('alarms are sent by e-mail only if the stage has an address', () => {
  const withAddress = templateOf('production', everyOption)

  const TopicArn = { Ref: onlyId(withAddress, 'AWS::SNS::Topic') }
  const subscription = { Protocol: 'email', Endpoint: 'on-call@example.com', TopicArn }
  expect(propertiesOf(withAddress, 'AWS::SNS::Subscription')).toEqual([subscription])
  for (const { template } of both()) template.resourceCountIs('AWS::SNS::Subscription', 0)
})
