import '../../support/database.ts'
import type { Context } from 'aws-lambda'
import { describe, expect, test, vi } from 'vitest'
import { handler as createPet } from '../../../functions/createPet.ts'
import { handler as getPet } from '../../../functions/getPet.ts'
import { contract, type Operation, type OperationId, operationIds } from '../../../shared/contract.ts'
import { tableIds, type tables } from '../../../shared/data/tables.ts'
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

const entries: Record<OperationId, Operation> = contract
const creates = operationIds.filter((id) => entries[id].success.status === 201)
const deprecated = operationIds.filter((id) => entries[id].deprecated)

const simple = { Threshold: 0, EvaluationPeriods: 1, Period: 300, Statistic: 'Sum' }

const math = (Expression: string, metrics: object[], Threshold: number) => ({
  Threshold,
  EvaluationPeriods: 1,
  Metrics: [{ Expression }, ...metrics.map((Metric) => ({ MetricStat: { Metric, Period: 300, Stat: 'Sum' } }))],
})

/** The sum over all actions that operations may do with a table. DynamoDB emits nothing for an action without errors. */
const sumOverActions = (table: keyof typeof tables, MetricName: string) => {
  const access = Object.values(entries).flatMap((entry) => entry.access)
  const granted = access.filter((each) => each.table === table).flatMap(({ actions }) => actions)
  const actions = [...new Set([...(table === 'apiKeys' ? ['GetItem'] : []), ...granted])]
  const terms = actions.map((action) => `FILL(${action.charAt(0).toLowerCase()}${action.slice(1)}, 0)`)
  const dimensions = actions.map((Value) => [{ Name: 'Operation', Value }, { Name: 'TableName' }])
  const metrics = dimensions.map((Dimensions) => ({ MetricName, Dimensions }))
  return math(terms.join(' + '), metrics, 0)
}

const ALARMS = {
  ApiFails: math('100 * part / whole', [{ MetricName: '5XXError' }, { MetricName: 'Count' }], 1),
  ApiSlow: { MetricName: 'Latency', ExtendedStatistic: 'p99', Threshold: 2000, EvaluationPeriods: 3, Period: 300 },
  ApiThrottles: { ...simple, MetricName: 'ApiThrottled' },
  ...Object.fromEntries(operationIds.map((id) => [`${id}Throttles`, { ...simple, MetricName: 'Throttles' }])),
  ...Object.fromEntries(tableIds.map((name) => [`${name}Throttles`, sumOverActions(name, 'ThrottledRequests')])),
  ...Object.fromEntries(tableIds.map((name) => [`${name}SystemErrors`, sumOverActions(name, 'SystemErrors')])),
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
      OKActions: [topic],
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

    // A metric has a namespace, a name, a name and a value for each dimension, and options.
    type Widget = { properties: { title: string; metrics: (string | { stat: string })[][] } }
    const graphs = widgets.map(({ properties: { title, metrics } }: Widget) => [
      title,
      metrics.map((parts) =>
        parts.flatMap((part, i) => (typeof part === 'object' ? part.stat : i % 2 ? part : [])).join(' '),
      ),
    ])
    const functions = operationIds.map((id) => functionOf(template, id))
    const pets = tableOf(template, 'id')
    const tables = [
      pets,
      `newest ${pets}`,
      `byStatus ${pets}`,
      tableOf(template, 'digest'),
      tableOf(template, 'intent'),
    ]
    const capacity = (place: string) => ['Read', 'Write'].map((kind) => `Consumed${kind}CapacityUnits ${place} Sum`)
    expect(DashboardName).toBe(name)
    expect(Object.fromEntries(graphs)).toEqual({
      Requests: [`Count ${name} Sum`],
      Errors: [`4XXError ${name} Sum`, `5XXError ${name} Sum`],
      'Latency (ms)': [`Latency ${name} p50`, `Latency ${name} p90`, `Latency ${name} p99`],
      'Calls of each function': functions.map((id) => `Invocations ${id} Sum`),
      'Duration of each function, p99 (ms)': functions.map((id) => `Duration ${id} p99`),
      'Cold starts': operationIds.map((id) => `ColdStarts ${id} Sum`),
      'Resources created': creates.map((id) => `Created ${id} Sum`),
      'Calls of deprecated operations': deprecated.map((id) => `DeprecatedCalls ${id} Sum`),
      'Consumed capacity': tables.flatMap(capacity),
    })
  })

  test('has a saved query for the clients of deprecated operations', () => {
    expect(propertiesOf(template, 'AWS::Logs::QueryDefinition')).toEqual([
      {
        Name: `${name}/callers of deprecated operations`,
        LogGroupNames: deprecated.map((id) => ({ Ref: partsOf(template, id).logGroup })),
        QueryString:
          'filter ispresent(message.clientId)\n' +
          '| stats count(*) as calls, max(@timestamp) as last by message.operation, message.clientId\n' +
          '| sort calls desc',
      },
    ])
  })

  test.each(operationIds)('extracts metrics from the request log of %s', (operation) => {
    const { logGroup } = partsOf(template, operation)
    const found = filters
      .filter(({ LogGroupName }) => LogGroupName.Ref === logGroup)
      .map(({ FilterPattern, MetricTransformations: [{ MetricName, Dimensions, ...rest }] }) => {
        const dimensions = Dimensions.map(({ Key, Value }: { Key: string; Value: string }) => [Key, Value])
        expect(rest).toEqual({ MetricNamespace: name, MetricValue: '1' })
        return [MetricName, [FilterPattern, Object.fromEntries(dimensions)]]
      })

    expect(Object.fromEntries(found)).toEqual({
      ...FILTERS,
      ...(creates.includes(operation) && { Created: [CREATED, BY_OPERATION] }),
      ...(deprecated.includes(operation) && {
        DeprecatedCalls: [`{ $.message.operation = "${operation}" }`, BY_OPERATION],
      }),
    })
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
