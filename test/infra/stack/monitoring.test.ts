import '../../support/database.ts'
import type { Template } from 'aws-cdk-lib/assertions'
import { expect, test } from 'vitest'
import { contract, type OperationId, operationIds } from '../../../shared/contract.ts'
import { tableIds, tables } from '../../../shared/data/tables.ts'
import type { Operation } from '../../../shared/entry.ts'
import { call, info } from '../../support/call.ts'
import { eventOf } from '../../support/events.ts'
import { example } from '../../support/example.ts'
import {
  both,
  everyOption,
  only,
  onlyId,
  partsOf,
  propertiesOf,
  resourcesOf,
  stackNames,
  synthesize,
  tableOf,
  templateOf,
} from './template.ts'

const entries: Record<OperationId, Operation> = contract
const creates = operationIds.filter((id) => entries[id].success.status === 201)
const deprecated = operationIds.filter((id) => entries[id].deprecated)

const always = { Threshold: 0, EvaluationPeriods: 1 }

const percentage = (part: string, rule: object) => ({
  EvaluationPeriods: 1,
  ...rule,
  Metrics: [
    { Expression: '100 * part / whole' },
    ...[part, 'Count'].map((MetricName) => ({ MetricStat: { Metric: { MetricName }, Period: 300, Stat: 'Sum' } })),
  ],
})

/** An alarm of all operations on a table: DynamoDB counts each apart, and transactions apart from their items. */
const ofAllOperations = (Ref: string, metric: string) => {
  const query = `SELECT SUM(${metric}) FROM SCHEMA("AWS/DynamoDB", Operation, TableName) WHERE TableName = '`
  return { ...always, Metrics: [{ Expression: { 'Fn::Join': ['', [query, { Ref }, "'"]] }, Period: 300 }] }
}

const byId = <T>(ids: readonly T[], suffix: string, alarmOf: (id: T) => object) =>
  Object.fromEntries(ids.map((id) => [`${id}${suffix}`, alarmOf(id)]))

const alarmsOf = (template: Template) => ({
  ApiFails: percentage('5XXError', { Threshold: 1 }),
  ApiSlow: { MetricName: 'Latency', ExtendedStatistic: 'p99', Threshold: 2000, EvaluationPeriods: 3, Period: 300 },
  ApiThrottles: percentage('ApiThrottled', { Threshold: 5, EvaluationPeriods: 2 }),
  ...byId(operationIds, 'Throttles', (id) => ({
    ...always,
    MetricName: 'Throttles',
    Dimensions: [{ Name: 'FunctionName', Value: { Ref: partsOf(template, id).functionId } }],
    Period: 300,
    Statistic: 'Sum',
  })),
  ...byId(tableIds, 'Throttles', (id) => ofAllOperations(tableOf(template, id), 'ThrottledRequests')),
  ...byId(tableIds, 'SystemErrors', (id) => ofAllOperations(tableOf(template, id), 'SystemErrors')),
})
// They are tested in operation-function.test.ts.
const VERSION_ALARMS = operationIds.flatMap((id) => [`${id}Crashes`, `${id}InternalErrors`, `${id}Slow`])

const template = templateOf('production')
const name = stackNames.production
const filters = propertiesOf(template, 'AWS::Logs::MetricFilter')
const topic = { Ref: onlyId(template, 'AWS::SNS::Topic') }
const alarmsIn = (template: Template) =>
  resourcesOf(template, 'AWS::CloudWatch::Alarm').map(([id, { Properties }]) => ({
    ...Properties,
    id: id.slice('MonitoringAlarms'.length, -8), // CDK appends a hash of 8 characters.
  }))

test.each(both())('$stage has an alarm for each kind of failure, whatever the kind of release', ({ template }) => {
  const expected = alarmsOf(template)
  const found = Object.fromEntries(alarmsIn(template).map((alarm) => [alarm.id, alarm]))

  expect(Object.keys(found).sort()).toEqual([...Object.keys(expected), ...VERSION_ALARMS].sort())
  expect(found).toMatchObject(expected)
})

test('alarms tell the operator what to check, are silent without requests, and say when they end, but for those of a version', () => {
  for (const alarm of alarmsIn(template)) {
    expect(alarm).toMatchObject({
      AlarmActions: [topic],
      AlarmDescription: expect.stringMatching(/^[A-Z].{30,}\.$/),
      ComparisonOperator: 'GreaterThanThreshold',
      TreatMissingData: 'notBreaching',
    })
    expect(alarm.OKActions).toEqual(VERSION_ALARMS.includes(alarm.id) ? undefined : [topic])
  }
})

test('a stack counts throttled requests in the access log, which quotes all values', () => {
  expect(filters).toContainEqual(expect.objectContaining({ FilterPattern: '{ $.status = "429" }' }))
})

test('the topic accepts notifications only from alarms of the same account', () => {
  const { Topics, PolicyDocument } = only(template, 'AWS::SNS::TopicPolicy')

  const [refusal, ...others] = PolicyDocument.Statement // It refuses requests without TLS, as cdk-nag demands.
  const Condition = { StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } } }
  expect([Topics, refusal.Effect]).toEqual([[topic], 'Deny'])
  expect(others).toMatchObject([{ Effect: 'Allow', Principal: { Service: 'cloudwatch.amazonaws.com' }, Condition }])
})

test('a stack has a dashboard with the metrics of the API, each function and each table', () => {
  const places = Object.values(tables).flatMap(({ indexes }) => ['table', ...Object.keys(indexes)])

  expect(only(template, 'AWS::CloudWatch::Dashboard').DashboardName).toBe(name)
  expect(graphsOf(template)).toEqual({
    Requests: ['Count'],
    Errors: ['4XXError', '5XXError'],
    'Latency (ms)': Array(3).fill('Latency'),
    'Calls of each function': operationIds.map(() => 'Invocations'),
    'Duration of each function, p99 (ms)': operationIds.map(() => 'Duration'),
    'Cold starts': operationIds.map((id) => `${id}InitDuration`),
    'Init of each function, average (ms)': operationIds.map((id) => `${id}InitDuration`),
    'Consumed capacity': places.flatMap(() => ['ConsumedReadCapacityUnits', 'ConsumedWriteCapacityUnits']),
    'Conflicts of transactions': tableIds.map(() => 'TransactionConflict'),
    ...(creates.length > 0 && { 'Resources created': creates.map(() => 'Created') }),
    ...(deprecated.length > 0 && { 'Calls of deprecated operations': deprecated.map(() => 'DeprecatedCalls') }),
  })
})

test('a stack has saved queries for init times, for calls by key, and for the clients of deprecated operations', () => {
  const logs = (ids: OperationId[]) => ids.map((id) => ({ Ref: partsOf(template, id).logGroup }))
  const queries = propertiesOf(template, 'AWS::Logs::QueryDefinition')

  expect(queries.map(({ Name, LogGroupNames }) => [Name, LogGroupNames])).toEqual([
    [`${name}/init and duration of each function`, logs(operationIds)],
    [`${name}/calls by key`, logs(operationIds)],
    ...(deprecated.length > 0 ? [[`${name}/callers of deprecated operations`, logs(deprecated)]] : []),
  ])
})

test.each(operationIds)('a stack extracts metrics from the log of %s', (operation) => {
  const { logGroup } = partsOf(template, operation)
  const found = filters
    .filter(({ LogGroupName }) => LogGroupName.Ref === logGroup)
    .map(({ FilterPattern, MetricTransformations: [{ MetricName, MetricValue, MetricNamespace, Dimensions }] }) => {
      expect(MetricNamespace).toBe(name)
      return [MetricName, FilterPattern, MetricValue, Dimensions]
    })

  const byOperation = { Key: 'Operation', Value: '$.message.operation' }
  const byVersion = { Key: 'Version', Value: '$.message.version' }
  const init = '$.record.metrics.initDurationMs'
  // A replay of a create creates nothing.
  const created = '{ ($.message.status = 201) && ($.message.replayed NOT EXISTS) }'
  const called = '{ ($.message.clientId = "*") && ($.message.status != 403) }'
  expect(found).toEqual([
    ['InternalErrors', '{ $.message.status = 500 }', '1', [byOperation, byVersion]],
    [`${operation}InitDuration`, `{ ${init} > 0 }`, init, undefined],
    ...(creates.includes(operation) ? [['Created', created, '1', [byOperation]]] : []),
    ...(deprecated.includes(operation) ? [['DeprecatedCalls', called, '1', [byOperation]]] : []),
  ])
})

test('no graph is without metrics if no operation creates anything or is deprecated', () => {
  const others = operationIds.filter((id) => ![...creates, ...deprecated].includes(id))
  const { template } = synthesize('production', {}, Object.fromEntries(others.map((id) => [id, entries[id]])))

  const graphs = graphsOf(template)
  expect(Object.keys(graphs)).not.toHaveLength(0)
  expect(Object.values(graphs)).not.toContainEqual([])
  template.resourceCountIs('AWS::Logs::QueryDefinition', 2)
})

test('alarms are sent by e-mail only if the stage has an address', () => {
  const withAddress = templateOf('production', everyOption)

  const TopicArn = { Ref: onlyId(withAddress, 'AWS::SNS::Topic') }
  const subscription = { Protocol: 'email', Endpoint: 'on-call@example.com', TopicArn }
  expect(propertiesOf(withAddress, 'AWS::SNS::Subscription')).toEqual([subscription])
  for (const { template } of both()) template.resourceCountIs('AWS::SNS::Subscription', 0)
})

test('the request log has every field that filters and saved queries read', async () => {
  const keyed = { headers: { 'Idempotency-Key': 'sent-twice' } }

  for (const _ of ['created', 'replayed']) await call(eventOf(example.events.create, keyed))

  const [created, replayed] = info.mock.calls.map(([line]) => JSON.parse(JSON.stringify(line)))
  const readers = ['AWS::Logs::MetricFilter', 'AWS::Logs::QueryDefinition'].map((type) =>
    propertiesOf(templateOf('production'), type),
  )
  const fields = new Set([...JSON.stringify(readers).matchAll(/message\.(\w+)/g)].map(([, field]) => field))
  expect(fields).toContain('replayed')
  expect(Object.keys(replayed)).toEqual(expect.arrayContaining([...fields]))
  expect(created).not.toHaveProperty('replayed')
  expect(replayed).toMatchObject({ operation: example.create, version: '$LATEST', status: 201, replayed: 'true' })
})

/** The names of the metrics of each graph, by its title. */
const graphsOf = (template: Template): Record<string, string[]> => {
  const parts: unknown[] = only(template, 'AWS::CloudWatch::Dashboard').DashboardBody['Fn::Join'][1]
  const { widgets } = JSON.parse(parts.map((part) => (typeof part === 'string' ? part : '')).join(''))
  type Widget = { properties: { title: string; metrics: [namespace: string, name: string][] } }
  return Object.fromEntries(
    widgets.map(({ properties: { title, metrics } }: Widget) => [title, metrics.map(([, name]) => name)]),
  )
}
