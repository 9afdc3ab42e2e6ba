import { expect, test } from 'vitest'
import { operationIds } from '../../../shared/contract.ts'
import { everyOption, only, onlyId, propertiesOf, templateOf } from './template.ts'

const template = templateOf('production')
const topic = { Ref: onlyId(template, 'AWS::SNS::Topic') }

test('alarms say when they go off and when they end, except those that stop a canary: they notify nobody', () => {
  const alarms = propertiesOf(template, 'AWS::CloudWatch::Alarm')
  const [notifying, silent] = [true, false].map((isNotifying) =>
    alarms.filter(
      ({ AlarmActions, OKActions }) => Boolean(AlarmActions || OKActions) === isNotifying,
    ),
  )

  expect(silent).toHaveLength(2 * operationIds.length)
  for (const alarm of notifying ?? [])
    expect(alarm).toMatchObject({ AlarmActions: [topic], OKActions: [topic] })
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

test('alarms are sent by e-mail only if the stage has an address', () => {
  const withAddress = templateOf('production', everyOption)

  const TopicArn = { Ref: onlyId(withAddress, 'AWS::SNS::Topic') }
  const subscription = { Protocol: 'email', Endpoint: 'on-call@example.com', TopicArn }
  expect(propertiesOf(withAddress, 'AWS::SNS::Subscription')).toEqual([subscription])
  template.resourceCountIs('AWS::SNS::Subscription', 0)
})
