import '../../support/database.ts'
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { stackName, stages } from '../../../infra/stages.ts'
import { operationIds } from '../../../shared/contract.ts'
import { eventOf } from '../../support/events.ts'
import { infoLog, invoke } from '../../support/invoke.ts'
import {
  alarmsOf,
  everyOption,
  joined,
  only,
  onlyId,
  partsOf,
  propertiesOf,
  templateOf,
} from './template.ts'

const template = templateOf('production')
const name = stackName(stages.production)
const filters = propertiesOf(template, 'AWS::Logs::MetricFilter')
const queries = propertiesOf(template, 'AWS::Logs::QueryDefinition')
const alarms = alarmsOf(template)
const notifying = alarms.filter(({ AlarmActions }) => AlarmActions)
const topic = { Ref: onlyId(template, 'AWS::SNS::Topic') }
const { DestinationArn, Format } = only(template, 'AWS::ApiGateway::Stage').AccessLogSetting
const [, Ref] = /"(ApiAccessLog\w+)"/.exec(JSON.stringify(DestinationArn)) ?? []
const accessLog = { Ref }

type Widget = {
  properties: { markdown?: string; title?: string; alarms?: string[]; metrics?: unknown[] }
}
const { DashboardBody } = only(template, 'AWS::CloudWatch::Dashboard')
const dashboard: { widgets: Widget[] } = JSON.parse(joined(DashboardBody))
const widgets = dashboard.widgets.map(({ properties }) => properties)

test('each alarm that notifies names a graph, a saved query or a section of OPERATE.md, and links to the dashboard', () => {
  const headings = readFileSync('infra/OPERATE.md', 'utf8').matchAll(/^### (.+)/gm)
  const known = [
    ...widgets.map(({ title }) => title),
    ...queries.map(({ Name }) => Name.split('/')[1]),
    ...Array.from(headings, ([, heading]) => heading),
  ]
  const link = `home?region=eu-central-1#dashboards/dashboard/${name}-eu-central-1`

  for (const { AlarmDescription } of notifying) {
    const text = joined(AlarmDescription)
    const named = [...text.matchAll(/"(.+?)"/g)].map(([, title]) => title)
    expect(named).not.toEqual([])
    expect(known).toEqual(expect.arrayContaining(named))
    expect(text.endsWith(link)).toBe(true)
    // CloudWatch allows 1,024 characters, and some regions have longer names.
    expect(text.length).toBeLessThan(1000)
  }
})

test('the dashboard shows the alarms that notify, and no graph is empty: CloudWatch refuses it', () => {
  const [status, ...others] = widgets

  expect(status?.alarms).toEqual(notifying.map(({ id }) => id))
  expect(others.filter(({ markdown, metrics }) => !markdown && !metrics?.length)).toEqual([])
})

test('all failures are counted in the access log, also by operation and status', () => {
  const ofAccessLog = filters.filter(({ LogGroupName }) => LogGroupName.Ref === Ref)

  const [byOperation, ...others] = ofAccessLog.filter(
    ({ MetricTransformations: [made] }) => made.Dimensions,
  )
  expect(ofAccessLog).toHaveLength(filters.length - operationIds.length)
  expect([byOperation.FilterPattern, others]).toEqual(['{ $.status = "5*" }', []])
  const [{ Dimensions }] = byOperation.MetricTransformations
  expect(
    Dimensions.map(({ Key, Value }: Record<'Key' | 'Value', string>) => [
      Key,
      JSON.parse(Format)[Value.replace('$.', '')],
    ]),
  ).toEqual([
    ['Method', '$context.httpMethod'],
    ['Resource', '$context.resourcePath'],
    ['Status', '$context.status'],
  ])
})

test.each(operationIds)('a stack counts each 500 of a version by the log of %s', (operation) => {
  const { logGroup } = partsOf(template, operation)

  const found = filters.filter(({ LogGroupName }) => LogGroupName.Ref === logGroup)

  const Dimensions = [
    { Key: 'Operation', Value: '$.message.operation' },
    { Key: 'Version', Value: '$.message.version' },
  ]
  const MetricTransformations = [{ MetricName: 'InternalErrors', Dimensions }]
  expect(found).toMatchObject([
    { FilterPattern: '{ $.message.status = 500 }', MetricTransformations },
  ])
})

test('a stack has saved queries of the logs that have what they ask for', () => {
  const logs = operationIds.map((id) => ({ Ref: partsOf(template, id).logGroup }))

  expect(queries.map(({ Name, LogGroupNames }) => [Name, LogGroupNames])).toEqual([
    [`${name}/calls by operation and key`, logs],
    [`${name}/refused requests by address, client and code`, [accessLog, ...logs]],
    [`${name}/by id`, [accessLog, ...logs]],
  ])
})

test('the request log has every field that filters and saved queries read', async () => {
  const keyed = { headers: { 'Idempotency-Key': 'sent-twice' } }

  for (const _ of ['created', 'replayed']) await invoke(eventOf('createPet-created', keyed))
  await invoke(eventOf('createPet-created', { body: 'broken' }))

  const [created, replayed, refused] = infoLog.mock.calls.map(([line]) => line)
  const fields = [...JSON.stringify([filters, queries]).matchAll(/message\.(\w+)/g)]
  expect(Object.keys({ ...replayed, ...refused })).toEqual(
    expect.arrayContaining(fields.map(([, field]) => field)),
  )
  expect(created.replayed).toBeUndefined()
  const logged = { operation: 'createPet', version: '$LATEST', status: 201, replayed: 'true' }
  expect(replayed).toMatchObject(logged)
})

test('LogsMissing compares requests with the lines of the access log', () => {
  const { Metrics } = notifying.find(({ name }) => name === 'LogsMissing')

  const lines = Metrics.find(({ Id }: { Id: string }) => Id === 'lines')
  const { Dimensions } = lines.MetricStat.Metric
  expect(Dimensions).toEqual([{ Name: 'LogGroupName', Value: accessLog }])
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

test('alarms are sent by e-mail only if the stage has an address', () => {
  const withAddress = templateOf('production', everyOption)

  const TopicArn = { Ref: onlyId(withAddress, 'AWS::SNS::Topic') }
  const subscription = { Protocol: 'email', Endpoint: 'on-call@example.com', TopicArn }
  expect(propertiesOf(withAddress, 'AWS::SNS::Subscription')).toEqual([subscription])
  template.resourceCountIs('AWS::SNS::Subscription', 0)
})
