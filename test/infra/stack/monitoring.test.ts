import '../../support/database.ts'
import type { Template } from 'aws-cdk-lib/assertions'
import { expect, test } from 'vitest'
import { stackName, stages } from '../../../infra/stages.ts'
import { contract, type OperationId, operationIds } from '../../../shared/contract.ts'
import { tableIds } from '../../../shared/data/tables.ts'
import type { Entry } from '../../../shared/pipeline/entry.ts'
import { call, info } from '../../support/call.ts'
import { eventOf } from '../../support/events.ts'
import { example } from '../../support/example.ts'
import { only, partsOf, propertiesOf, resourcesOf, tableOf, templateOf } from './template.ts'

const entries: Record<OperationId, Entry> = contract
const creates = operationIds.filter((id) => entries[id].success.status === 201)
const deprecated = operationIds.filter((id) => entries[id].deprecated)

const template = templateOf('production')
const name = stackName(stages.production)
const filters = propertiesOf(template, 'AWS::Logs::MetricFilter')
const { DestinationArn } = only(template, 'AWS::ApiGateway::Stage').AccessLogSetting
type Dimension = { Key: string; Value: string }
const [, Ref] = /"(ApiAccessLog\w+)"/.exec(JSON.stringify(DestinationArn)) ?? []
const accessLog = { Ref }

test('each alarm that notifies names graphs of the dashboard, or saved queries, to look at', () => {
  const graphs = widgetsOf(template).map(([title]) => title)
  const queries = propertiesOf(template, 'AWS::Logs::QueryDefinition').map(
    ({ Name }) => Name.split('/')[1],
  )
  const alarms = propertiesOf(template, 'AWS::CloudWatch::Alarm').filter(
    ({ AlarmActions }) => AlarmActions,
  )

  for (const { AlarmDescription } of alarms) {
    const named = [...AlarmDescription.matchAll(/"(.+?)"/g)].map(([, title]) => title)
    expect(named).not.toEqual([])
    expect([...graphs, ...queries]).toEqual(expect.arrayContaining(named))
  }
})

test('a stack counts failures by operation and status in the access log', () => {
  const { Format } = only(template, 'AWS::ApiGateway::Stage').AccessLogSetting
  const made = filters.filter(
    ({ MetricTransformations: [{ MetricName }] }) => MetricName === 'ServerErrors',
  )

  const [{ FilterPattern, LogGroupName, MetricTransformations }] = made
  const dimensions = MetricTransformations[0].Dimensions.map(({ Key, Value }: Dimension) => [
    Key,
    JSON.parse(Format)[Value.replace('$.', '')],
  ])
  expect([FilterPattern, LogGroupName]).toEqual(['{ $.status = "5*" }', accessLog])
  expect(dimensions).toEqual([
    ['Method', '$context.httpMethod'],
    ['Resource', '$context.resourcePath'],
    ['Status', '$context.status'],
  ])
})

test('a stack has a dashboard that shows from top to bottom whether customers are hurt, by which operation, and why', () => {
  const names = tableIds.map((id) => `"${tableOf(template, id)}"`).join(' OR ')
  const ofTables = (metric: string, statistic: string) => [
    `SEARCH('Namespace="AWS/DynamoDB" TableName=(${names}) MetricName=${metric}', '${statistic}', 300)`,
  ]
  const inLogs = (metric: string, statistic: string) => [
    `SEARCH('Namespace="${name}" MetricName=${metric}', '${statistic}', 300)`,
  ]

  const alarms = resourcesOf(template, 'AWS::CloudWatch::Alarm').filter(
    ([, { Properties }]) => Properties.AlarmActions,
  )

  expect(only(template, 'AWS::CloudWatch::Dashboard').DashboardName).toBe(name)
  expect(widgetsOf(template)).toEqual([
    ['Alarms', alarms.map(([id]) => id)],
    ['## Are customers hurt?'],
    ['5xx', ['ApiUnavailable', 'ApiBroken']],
    ['Latency (ms)', Array(3).fill('Latency')],
    ['429 (% of the requests)', [expect.stringContaining('100 *'), 'ApiThrottled', 'Count']],
    ['## Which operation?'],
    ['5xx of each operation', inLogs('"ServerErrors"', 'Sum')],
    ['Calls of each function', operationIds.map(() => 'Invocations')],
    ['Duration of each function, p99 (ms)', operationIds.map(() => 'Duration')],
    ['## Which cause?'],
    ['Latency of DynamoDB, p99 (ms)', ofTables('"SuccessfulRequestLatency"', 'p99')],
    ['Errors of DynamoDB', ofTables('("ThrottledRequests" OR "SystemErrors")', 'Sum')],
    ['Conflicts of transactions', ofTables('"TransactionConflict"', 'SampleCount')],
    ['Throttles of each function', operationIds.map(() => 'Throttles')],
    ['## What is usual?'],
    ['Requests', ['Count', 'ApiRefused']],
    [
      'Consumed capacity',
      ofTables('("ConsumedReadCapacityUnits" OR "ConsumedWriteCapacityUnits")', 'Sum'),
    ],
    ['Resources created', inLogs('"Created"', 'Sum')],
    ['Calls of deprecated operations', inLogs('"DeprecatedCalls"', 'Sum')],
  ])
})

test('a stack has saved queries for init times, for calls by operation and key, and for refused requests', () => {
  const logs = (ids: OperationId[]) => ids.map((id) => ({ Ref: partsOf(template, id).logGroup }))
  const queries = propertiesOf(template, 'AWS::Logs::QueryDefinition')

  expect(queries.map(({ Name, LogGroupNames }) => [Name, LogGroupNames])).toEqual([
    [`${name}/init and duration of each function`, logs(operationIds)],
    [`${name}/calls by operation and key`, logs(operationIds)],
    [`${name}/refused requests by address, client and code`, [accessLog, ...logs(operationIds)]],
  ])
})

test.each(operationIds)('a stack extracts metrics from the log of %s', (operation) => {
  const { logGroup } = partsOf(template, operation)
  const found = filters
    .filter(({ LogGroupName }) => LogGroupName.Ref === logGroup)
    .map(
      ({
        FilterPattern,
        MetricTransformations: [{ MetricName, MetricValue, MetricNamespace, Dimensions }],
      }) => {
        expect(MetricNamespace).toBe(name)
        return [MetricName, FilterPattern, MetricValue, Dimensions]
      },
    )

  const byOperation = { Key: 'Operation', Value: '$.message.operation' }
  const byVersion = { Key: 'Version', Value: '$.message.version' }
  // A replay of a create creates nothing.
  const created = '{ ($.message.status = 201) && ($.message.replayed NOT EXISTS) }'
  const called = '{ ($.message.clientId = "*") && ($.message.status != 403) }'
  expect(found).toEqual([
    ...(creates.includes(operation) ? [['Created', created, '1', [byOperation]]] : []),
    ...(deprecated.includes(operation) ? [['DeprecatedCalls', called, '1', [byOperation]]] : []),
    ['InternalErrors', '{ $.message.status = 500 }', '1', [byOperation, byVersion]],
  ])
})

test('the request log has every field that filters and saved queries read', async () => {
  const keyed = { headers: { 'Idempotency-Key': 'sent-twice' } }

  for (const _ of ['created', 'replayed']) await call(eventOf(example.events.create, keyed))
  await call(eventOf(example.events.create, { body: 'broken' }))

  const [created, replayed, refused] = info.mock.calls.map(([line]) =>
    JSON.parse(JSON.stringify(line)),
  )
  const readers = ['AWS::Logs::MetricFilter', 'AWS::Logs::QueryDefinition'].map((type) =>
    propertiesOf(templateOf('production'), type),
  )
  const fields = new Set(
    [...JSON.stringify(readers).matchAll(/message\.(\w+)/g)].map(([, field]) => field),
  )
  expect(fields).toContain('replayed')
  expect(Object.keys({ ...replayed, ...refused })).toEqual(expect.arrayContaining([...fields]))
  expect(created).not.toHaveProperty('replayed')
  expect(replayed).toMatchObject({
    operation: example.create,
    version: '$LATEST',
    status: 201,
    replayed: 'true',
  })
})

/**
 * The title of each widget, with the alarms that it shows, or the names or expressions of its
 * metrics.
 */
const widgetsOf = (template: Template): [title: string, shown?: unknown[]][] => {
  const parts: unknown[] = only(template, 'AWS::CloudWatch::Dashboard').DashboardBody['Fn::Join'][1]
  const text = parts
    .map((part) => (part instanceof Object ? Object.values(part).flat()[0] : part))
    .join('')
  type Metric = [namespaceOrExpression: string | { expression: string }, name: string]
  type Widget = {
    properties: { markdown?: string; title: string; alarms?: string[]; metrics?: Metric[] }
  }
  return JSON.parse(text).widgets.map(
    ({ properties: { markdown, title, alarms, metrics } }: Widget) =>
      markdown
        ? [markdown]
        : [
            title,
            alarms ??
              metrics?.map(([first, name]) => (first instanceof Object ? first.expression : name)),
          ],
  )
}
