import '../../support/database.ts'
import type { Context } from 'aws-lambda'
import { describe, expect, test, vi } from 'vitest'
import { handler as createPet } from '../../../functions/createPet.ts'
import { handler as getPet } from '../../../functions/getPet.ts'
import { operationIds } from '../../../shared/contract.ts'
import { tableNames } from '../../../shared/data/tables.ts'
import { eventOf } from '../../support/events.ts'
import {
  both,
  everyOption,
  functionOf,
  only,
  onlyId,
  partsOf,
  propertiesOf,
  resourcesOf,
  tableOf,
  templateOf,
} from './template.ts'

const simple = { Threshold: 0, EvaluationPeriods: 1, Period: 300, Statistic: 'Sum' }

const math = (Expression: string, metricNames: string[], Threshold: number) => ({
  Threshold,
  EvaluationPeriods: 1,
  Metrics: [
    { Expression },
    ...metricNames.map((MetricName) => ({ MetricStat: { Metric: { MetricName }, Period: 300, Stat: 'Sum' } })),
  ],
})

const sumOverOperations = (metricName: string) =>
  math('FILL(getItem, 0) + FILL(putItem, 0) + FILL(query, 0)', Array(3).fill(metricName), 0)

const ALARMS = {
  ApiFails: math('100 * part / whole', ['5XXError', 'Count'], 1),
  ApiSlow: { MetricName: 'Latency', ExtendedStatistic: 'p99', Threshold: 2000, EvaluationPeriods: 3, Period: 300 },
  ApiThrottles: { ...simple, MetricName: 'ApiThrottled' },
  ...Object.fromEntries(operationIds.map((id) => [`${id}Throttles`, { ...simple, MetricName: 'Throttles' }])),
  ...Object.fromEntries(tableNames.map((name) => [`${name}Throttles`, sumOverOperations('ThrottledRequests')])),
  ...Object.fromEntries(tableNames.map((name) => [`${name}SystemErrors`, sumOverOperations('SystemErrors')])),
}
// They are tested in operation-function.test.ts.
const ROLLBACK_ALARMS = operationIds.flatMap((id) => [`${id}Crashes`, `${id}InternalErrors`, `${id}Slow`])

const BY_OPERATION = { Operation: '$.message.operation' }
// A replay of a create creates nothing.
const CREATED = '{ ($.message.status = 201) && ($.message.replayed NOT EXISTS) }'
const FILTERS = {
  InternalErrors: ['{ $.message.status = 500 }', { ...BY_OPERATION, Version: '$.message.version' }],
  ClientErrors: ['{ ($.message.status >= 400) && ($.message.status < 500) }', { Code: '$.message.code' }],
  ColdStarts: ['{ $.message.coldStart IS TRUE }', BY_OPERATION],
}

describe.each(both())('$stage', ({ stage, stackName: name, template }) => {
  const filters = propertiesOf(template, 'AWS::Logs::MetricFilter')
  const topic = { Ref: onlyId(template, 'AWS::SNS::Topic') }
  const alarms = resourcesOf(template, 'AWS::CloudWatch::Alarm').map(([id, { Properties }]) => ({
    ...Properties,
    id: id.slice('MonitoringAlarms'.length, -8), // CDK appends a hash of 8 characters.
  }))

  test('has an alarm for each kind of failure', () => {
    const expected = [...Object.keys(ALARMS), ...(stage === 'production' ? ROLLBACK_ALARMS : [])]

    const byId = Object.fromEntries(alarms.map((alarm) => [alarm.id, alarm]))
    expect(Object.keys(byId).sort()).toEqual(expected.sort())
    expect(byId).toMatchObject(ALARMS)
    for (const id of operationIds)
      expect(byId[`${id}Throttles`].Dimensions).toEqual([
        { Name: 'FunctionName', Value: { Ref: functionOf(template, id) } },
      ])
  })

  test.each(alarms)('the alarm $id tells the operator what to check, and is silent without requests', (alarm) => {
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
    const capacity = (table: string) => [
      `ConsumedReadCapacityUnits Sum ${table}`,
      `ConsumedWriteCapacityUnits Sum ${table}`,
    ]
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
      'Consumed capacity': tables.flatMap(capacity),
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
  })
})

test('alarms are sent by e-mail only if the stage has an address', () => {
  const withAddress = templateOf('production', everyOption)

  const TopicArn = { Ref: onlyId(withAddress, 'AWS::SNS::Topic') }
  const subscription = { Protocol: 'email', Endpoint: 'on-call@example.com', TopicArn }
  expect(propertiesOf(withAddress, 'AWS::SNS::Subscription')).toEqual([subscription])
  for (const { template } of both()) template.resourceCountIs('AWS::SNS::Subscription', 0)
})

test('the request log has every field that filters and the saved query read', async () => {
  const log = vi.spyOn(console, 'info').mockImplementation(() => {})
  const context = { functionVersion: '7' } as Context // The pipeline reads nothing else of it.

  await getPet(eventOf('getPet-unknown-id'), context)
  await createPet(eventOf('createPet-idempotency-key'), context)
  await createPet(eventOf('createPet-idempotency-key'), context)

  const [unknown, created, replayed] = log.mock.calls.map(([line]) => JSON.parse(JSON.stringify(line)))
  log.mockRestore()
  const readers = ['AWS::Logs::MetricFilter', 'AWS::Logs::QueryDefinition'].map((type) =>
    propertiesOf(templateOf('production'), type),
  )
  const fields = new Set([...JSON.stringify(readers).matchAll(/message\.(\w+)/g)].map(([, field]) => field))
  expect(fields).toContain('replayed')
  expect(Object.keys({ ...unknown, ...replayed })).toEqual(expect.arrayContaining([...fields]))
  expect(unknown).toMatchObject({ operation: 'getPet', version: '7', status: 404, code: 'not_found', coldStart: true })
  expect(created).not.toHaveProperty('replayed')
  expect(replayed).toMatchObject({ status: 201, replayed: 'true' })
})
