import type { Template } from 'aws-cdk-lib/assertions'
import { expect, test } from 'vitest'
import { operationIds } from '../../../shared/contract.ts'
import {
  all,
  everyOption,
  only,
  onlyId,
  propertiesOf,
  resourcesOf,
  templateOf,
} from './template.ts'

const template = templateOf('production')
const topic = { Ref: onlyId(template, 'AWS::SNS::Topic') }

/**
 * The alarms that notify somebody, by their logical ids. `alarm-simulation.test.ts` says what they
 * notice.
 */
const notifying = (template: Template) =>
  Object.fromEntries(
    resourcesOf(template, 'AWS::CloudWatch::Alarm')
      .filter(([, { Properties }]) => Properties.AlarmActions)
      .map(([id, { Properties }]) => [id, Properties]),
  )

test('all stages have the same alarms', () => {
  const texts = all().map(({ template, stackName }) =>
    JSON.stringify(notifying(template)).replaceAll(stackName, 'Stack'),
  )

  expect(new Set(texts).size).toBe(1)
})

test('alarms say when they go off and when they end, except those that stop a canary: they notify nobody', () => {
  const alarms = propertiesOf(template, 'AWS::CloudWatch::Alarm')
  const silent = alarms.filter(({ AlarmActions, OKActions }) => !AlarmActions && !OKActions)

  expect(silent).toHaveLength(2 * operationIds.length)
  for (const alarm of Object.values(notifying(template)))
    expect(alarm).toMatchObject({ AlarmActions: [topic], OKActions: [topic] })
})

test('a stage without a canary has no other alarms', () => {
  const alarms = propertiesOf(templateOf('staging'), 'AWS::CloudWatch::Alarm')

  expect(alarms).toHaveLength(Object.keys(notifying(template)).length)
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
  for (const { template } of all()) template.resourceCountIs('AWS::SNS::Subscription', 0)
})
