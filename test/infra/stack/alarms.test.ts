import { describe, expect, test } from 'vitest'
import { stages } from '../../../infra/stages.ts'
import { operationIds } from '../../../shared/contract.ts'
import { tables } from '../../../shared/data/tables.ts'
import { both, onlyId, propertiesOf, resource, resourcesOf, templateOf } from './template.ts'

const FILLED = 'FILL(getItem, 0) + FILL(putItem, 0) + FILL(query, 0)'

const ofTable = (metricName: string) => [FILLED, Array(3).fill(`${metricName} Sum`), '> 0', '1 x 300 s']
const OF_FUNCTION = [undefined, ['Throttles Sum'], '> 0', '1 x 300 s']

const LASTING = {
  ApiFails: ['100 * part / whole', ['5XXError Sum', 'Count Sum'], '> 1', '1 x 300 s'],
  ApiSlow: [undefined, ['Latency p99'], '> 2000', '3 x 300 s'],
  ApiThrottles: [undefined, ['ApiThrottled Sum'], '> 0', '1 x 300 s'],
  ...Object.fromEntries(operationIds.map((id) => [`${id}Throttles`, OF_FUNCTION])),
  ...Object.fromEntries(Object.keys(tables).map((name) => [`${name}Throttles`, ofTable('ThrottledRequests')])),
  ...Object.fromEntries(Object.keys(tables).map((name) => [`${name}SystemErrors`, ofTable('SystemErrors')])),
}
// The alarms that take a new version back: see release.test.ts.
const OF_RELEASES = /(Crashes|InternalErrors|Slow)$/

type Metric = { MetricName: string; Stat: string; Period: number }
type Alarm = Metric & {
  Threshold: number
  EvaluationPeriods: number
  Statistic?: string
  ExtendedStatistic?: string
  Metrics?: { Expression?: string; MetricStat?: Metric & { Metric: Metric } }[]
}

/** An alarm in a line: expression, metrics, threshold, how long. */
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

describe.each(both)('$name', ({ name, template }) => {
  const topic = { Ref: onlyId(template, 'AWS::SNS::Topic') }
  const alarms = resourcesOf(template, 'AWS::CloudWatch::Alarm').map(([id, { Properties }]): [string, Alarm] => [
    id.slice('MonitoringAlarms'.length, -8), // CDK ends a logical id in a digest of the path.
    Properties,
  ])

  test('has an alarm for each thing that goes wrong', () => {
    const lasting = alarms.filter(([id]) => id === 'ApiSlow' || !OF_RELEASES.test(id))

    expect(Object.fromEntries(lasting.map(([id, alarm]) => [id, inShort(alarm)]))).toEqual(LASTING)
    expect(alarms).toHaveLength(9 + operationIds.length * (name === 'PetStoreProduction' ? 4 : 1))
  })

  test.each(alarms)('the alarm %s says where to look, tells the topic, and is silent without requests', (_, alarm) => {
    expect(alarm).toMatchObject({
      AlarmActions: [topic],
      AlarmDescription: expect.stringMatching(/^.{30,}[.?]$/),
      ComparisonOperator: 'GreaterThanThreshold',
      TreatMissingData: 'notBreaching',
    })
  })

  test('lets alarms of this account into its topic, and nothing that is not encrypted on the way', () => {
    const { Topics, PolicyDocument } = resource(template, onlyId(template, 'AWS::SNS::TopicPolicy')).Properties

    const publish = { Action: 'sns:Publish', Resource: topic, Sid: expect.any(String) }
    const cloudWatch = { Service: 'cloudwatch.amazonaws.com' }
    const ofThisAccount = { StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } } }
    expect(Topics).toEqual([topic])
    expect(PolicyDocument.Statement).toEqual([
      { ...publish, Effect: 'Deny', Principal: '*', Condition: { Bool: { 'aws:SecureTransport': 'false' } } },
      { ...publish, Effect: 'Allow', Principal: cloudWatch, Condition: ofThisAccount },
    ])
    template.resourceCountIs('AWS::SNS::Subscription', 0)
  })
})

test.each(['staging', 'production'] as const)('alarms of %s come by e-mail, once it has an address', (name) => {
  const template = templateOf('Watched', { ...stages[name], alarmEmail: 'on-call@example.com' })

  expect(propertiesOf(template, 'AWS::SNS::Subscription')).toEqual([
    { Protocol: 'email', Endpoint: 'on-call@example.com', TopicArn: { Ref: onlyId(template, 'AWS::SNS::Topic') } },
  ])
})
