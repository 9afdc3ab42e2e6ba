import '../../support/database.ts'
import type { Context } from 'aws-lambda'
import { describe, expect, test, vi } from 'vitest'
import { handler as createPet } from '../../../functions/createPet.ts'
import { handler as getPet } from '../../../functions/getPet.ts'
import { operationIds } from '../../../shared/contract.ts'
import { tableNames } from '../../../shared/data/tables.ts'
import { eventOf } from '../../support/events.ts'
import {
  everyOption,
  functionOf,
  only,
  onlyId,
  partsOf,
  propertiesOf,
  resourcesOf,
  stackNames,
  stageNames,
  tableOf,
  templateOf,
} from './template.ts'

const sumOf = (metricName: string) => [
  'FILL(getItem, 0) + FILL(putItem, 0) + FILL(query, 0)',
  Array(3).fill(`${metricName} Sum`),
  '> 0',
  '1 x 300 s',
]

// The alarms that roll back a release are tested in release.test.ts.
const ALARMS = {
  ApiFails: ['100 * part / whole', ['5XXError Sum', 'Count Sum'], '> 1', '1 x 300 s'],
  ApiSlow: [undefined, ['Latency p99'], '> 2000', '3 x 300 s'],
  ApiThrottles: [undefined, ['ApiThrottled Sum'], '> 0', '1 x 300 s'],
  ...Object.fromEntries(
    operationIds.map((id) => [`${id}Throttles`, [undefined, ['Throttles Sum'], '> 0', '1 x 300 s']]),
  ),
  ...Object.fromEntries(tableNames.map((name) => [`${name}Throttles`, sumOf('ThrottledRequests')])),
  ...Object.fromEntries(tableNames.map((name) => [`${name}SystemErrors`, sumOf('SystemErrors')])),
}

type Metric = { MetricName: string; Stat: string; Period: number }
type Alarm = Metric & {
  Threshold: number
  EvaluationPeriods: number
  Statistic?: string
  ExtendedStatistic?: string
  Metrics?: { Expression?: string; MetricStat?: Metric & { Metric: Metric } }[]
}

/** An alarm in short: expression, metrics, threshold, periods. */
const inShort = (alarm: Alarm) => {
  const { Threshold, EvaluationPeriods, Statistic, ExtendedStatistic, Metrics = [] } = alarm
  const parts = Metrics.flatMap(({ MetricStat }) => (MetricStat ? { ...MetricStat, ...MetricStat.Metric } : []))
  const metrics = parts.length > 0 ? parts : [{ ...alarm, Stat: Statistic ?? ExtendedStatistic }]
  return [
    Metrics[0]?.Expression,
    metrics.map(({ MetricName, Stat }) => `${MetricName} ${Stat}`),
    `> ${Threshold}`,
    `${EvaluationPeriods} x ${metrics[0]?.Period} s`,
  ]
}

const FIELDS_READ = ['clientId', 'code', 'coldStart', 'operation', 'replayed', 'status', 'version']

const BY_OPERATION = { Operation: '$.message.operation' }
// A replay of a create creates nothing.
const CREATED = '{ ($.message.status = 201) && ($.message.replayed NOT EXISTS) }'
const FILTERS = {
  InternalErrors: ['{ $.message.status = 500 }', { ...BY_OPERATION, Version: '$.message.version' }],
  ClientErrors: ['{ ($.message.status >= 400) && ($.message.status < 500) }', { Code: '$.message.code' }],
  ColdStarts: ['{ $.message.coldStart IS TRUE }', BY_OPERATION],
}

describe.each(stageNames)('%s', (stage) => {
  const template = templateOf(stage)
  const name = stackNames[stage]
  const filters = propertiesOf(template, 'AWS::Logs::MetricFilter')
  const topic = { Ref: onlyId(template, 'AWS::SNS::Topic') }
  const alarms = resourcesOf(template, 'AWS::CloudWatch::Alarm').map(([id, { Properties }]): [string, Alarm] => [
    id.slice('MonitoringAlarms'.length, -8), // CDK appends a hash of 8 characters to each logical id.
    Properties,
  ])

  test('has an alarm for each kind of failure', () => {
    const found = Object.fromEntries(alarms.map(([id, alarm]) => [id, inShort(alarm)]))
    const rollbackAlarms = operationIds.flatMap((id) => [`${id}Crashes`, `${id}InternalErrors`, `${id}Slow`])

    expect(found).toMatchObject(ALARMS)
    const expected = [...Object.keys(ALARMS), ...(stage === 'production' ? rollbackAlarms : [])]
    expect(Object.keys(found).sort()).toEqual(expected.sort())
  })

  test.each(alarms)('the alarm %s tells the operator what to check, and is silent without requests', (_, alarm) => {
    expect(alarm).toMatchObject({
      AlarmActions: [topic],
      AlarmDescription: expect.stringMatching(/^[A-Z].{30,}\.$/),
      ComparisonOperator: 'GreaterThanThreshold',
      TreatMissingData: 'notBreaching',
    })
  })

  test('accepts notifications only from alarms of the same account, and only over TLS', () => {
    const { Topics, PolicyDocument } = only(template, 'AWS::SNS::TopicPolicy')

    const publish = { Action: 'sns:Publish', Resource: topic, Sid: expect.any(String) }
    const cloudWatch = { Service: 'cloudwatch.amazonaws.com' }
    const sameAccount = { StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } } }
    expect(Topics).toEqual([topic])
    expect(PolicyDocument.Statement).toEqual([
      { ...publish, Effect: 'Deny', Principal: '*', Condition: { Bool: { 'aws:SecureTransport': 'false' } } },
      { ...publish, Effect: 'Allow', Principal: cloudWatch, Condition: sameAccount },
    ])
    template.resourceCountIs('AWS::SNS::Subscription', 0)
  })

  test('sends alarms by e-mail if the stage has an address', () => {
    expect(propertiesOf(templateOf(stage, everyOption), 'AWS::SNS::Subscription')).toEqual([
      { Protocol: 'email', Endpoint: 'on-call@example.com', TopicArn: topic },
    ])
  })

  test('has a dashboard with the metrics of the API, each function and each table', () => {
    const { DashboardName, DashboardBody } = only(template, 'AWS::CloudWatch::Dashboard')
    const parts: (string | { Ref: string })[] = DashboardBody['Fn::Join'][1]
    const { widgets } = JSON.parse(parts.map((part) => (typeof part === 'string' ? part : part.Ref)).join(''))

    type Widget = { properties: { title: string; metrics: [string, string, string, string, { stat: string }][] } }
    const graphs = widgets.map(({ properties: { title, metrics } }: Widget) => [
      title,
      metrics.map(([, metric, , dimension, { stat }]) => `${metric} ${stat} ${dimension}`),
    ])
    const functions = operationIds.map((id) => functionOf(template, id))
    const tables = [tableOf(template, 'id'), tableOf(template, 'digest'), tableOf(template, 'intent')]
    expect(DashboardName).toBe(name)
    expect(Object.fromEntries(graphs)).toEqual({
      Requests: [`Count Sum ${name}`],
      Errors: [`4XXError Sum ${name}`, `5XXError Sum ${name}`],
      'Latency (ms)': [`Latency p50 ${name}`, `Latency p90 ${name}`, `Latency p99 ${name}`],
      'Calls of each function': functions.map((id) => `Invocations Sum ${id}`),
      'Duration of each function, p99 (ms)': functions.map((id) => `Duration p99 ${id}`),
      'Cold starts': operationIds.map((id) => `ColdStarts Sum ${id}`),
      'Pets created': ['Created Sum createPet'],
      'Calls of deprecated operations': ['DeprecatedCalls Sum getPet'],
      'Consumed capacity': tables.flatMap((id) => [
        `ConsumedReadCapacityUnits Sum ${id}`,
        `ConsumedWriteCapacityUnits Sum ${id}`,
      ]),
    })
  })

  test('has a saved query for the clients of deprecated operations', () => {
    expect(propertiesOf(template, 'AWS::Logs::QueryDefinition')).toEqual([
      {
        Name: `${name}/callers of deprecated operations`,
        LogGroupNames: [{ Ref: partsOf(template, 'getPet').logGroup }],
        QueryString:
          'filter ispresent(message.clientId)\n' +
          '| stats count(*) as calls, max(@timestamp) as last by message.operation, message.clientId\n' +
          '| sort calls desc',
      },
    ])
  })

  test.each([
    ['listPets', FILTERS],
    ['createPet', { ...FILTERS, Created: [CREATED, BY_OPERATION] }],
    ['getPet', { ...FILTERS, DeprecatedCalls: ['{ $.message.operation = "getPet" }', BY_OPERATION] }],
  ])('extracts metrics from the request log of %s', (operation, expected) => {
    const { logGroup } = partsOf(template, operation)
    const found = filters
      .filter(({ LogGroupName }) => LogGroupName.Ref === logGroup)
      .map(({ FilterPattern, MetricTransformations: [{ MetricName, Dimensions, ...rest }] }) => {
        const dimensions = Dimensions.map(({ Key, Value }: { Key: string; Value: string }) => [Key, Value])
        expect(rest).toEqual({ MetricNamespace: name, MetricValue: '1' })
        return [MetricName, [FilterPattern, Object.fromEntries(dimensions)]]
      })

    expect(Object.fromEntries(found)).toEqual(expected)
  })

  test('counts throttled requests in the access log', () => {
    const { AccessLogSetting } = only(template, 'AWS::ApiGateway::Stage')
    const logGroup = AccessLogSetting.DestinationArn['Fn::Join'][1].at(-1)

    expect(filters.filter(({ LogGroupName }) => LogGroupName.Ref === logGroup.Ref)).toEqual([
      {
        FilterPattern: '{ $.status = "429" }', // The access log quotes all values.
        LogGroupName: logGroup,
        MetricTransformations: [{ MetricName: 'ApiThrottled', MetricNamespace: name, MetricValue: '1' }],
      },
    ])
    expect(filters).toHaveLength(3 * operationIds.length + 3)
    expect(JSON.parse(AccessLogSetting.Format)).toHaveProperty('status', '$context.status')
  })

  test('reads these fields of the request log', () => {
    const { QueryString } = only(template, 'AWS::Logs::QueryDefinition')
    const read = [...JSON.stringify([QueryString, filters]).matchAll(/message\.(\w+)/g)].map(([, field]) => field)

    expect(new Set(read)).toEqual(new Set(FIELDS_READ))
  })
})

/** What a function logs for an event of test/events, as CloudWatch gets it. */
const logOf = async (handler: typeof getPet, event: string) => {
  const log = vi.spyOn(console, 'info').mockImplementation(() => {})
  // The pipeline reads nothing else of Lambda's context.
  await handler(eventOf(event), { functionVersion: '7' } as Context)
  const [[message] = []] = log.mock.calls
  log.mockRestore()
  return JSON.parse(JSON.stringify(message))
}

test('the request log has the fields that are read, with the values that filters compare', async () => {
  const unknown = await logOf(getPet, 'getPet-unknown-id')
  const created = await logOf(createPet, 'createPet-idempotency-key')
  const replayed = await logOf(createPet, 'createPet-idempotency-key')

  expect(unknown).toMatchObject({
    operation: 'getPet',
    version: '7',
    status: 404,
    code: 'not_found',
    coldStart: true,
    clientId: expect.stringMatching(/./),
  })
  expect(created).not.toHaveProperty('replayed')
  expect(replayed).toMatchObject({ status: 201, replayed: 'true' })
  expect(Object.keys({ ...unknown, ...created, ...replayed })).toEqual(expect.arrayContaining(FIELDS_READ))
})
