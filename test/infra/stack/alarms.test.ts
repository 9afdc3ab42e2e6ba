import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { operationIds } from '../../../shared/contract.ts'
import { type Minute, type Requests, simulate } from './simulated-alarms.ts'
import { everyOption, only, onlyId, propertiesOf, resourcesOf, templateOf } from './template.ts'

const template = templateOf('production')
const topic = { Ref: onlyId(template, 'AWS::SNS::Topic') }
const alarms = resourcesOf(template, 'AWS::CloudWatch::Alarm').map(([id, { Properties }]) => ({
  name: id.slice(0, -8).replace('MonitoringAlarms', ''), // CDK appends a hash.
  ...Properties,
}))
const filters = propertiesOf(template, 'AWS::Logs::MetricFilter')
const notifying = alarms.filter(({ AlarmActions }) => AlarmActions)
/** Without the one that reads the logs of functions. */
const ofApi = notifying.filter(({ name }) => name !== 'ItemsDamaged')

const SIX_HOURS = 6 * 60
const BEFORE = 90 // Minutes.

/** The requests of an hour, for so many minutes, before and after what is usual. */
type Outage = {
  usual?: Requests
  requests: Requests
  minutes?: number
  isLogged?: boolean
  repeats?: boolean
}

/** The requests of each minute, evenly, of which the first one comes at once. */
const minutesOf = (length: number, ofHour: Requests, isLogged = true): Minute[] =>
  Array.from({ length }, (_, minute) => {
    const counts = Object.entries(ofHour).map(([response, count]) => [
      response,
      Math.ceil(((minute + 1) * count) / 60) - Math.ceil((minute * count) / 60),
    ])
    return { isLogged, requests: Object.fromEntries(counts) }
  })

const minutesWith = ({ usual = {}, requests, minutes = 60, isLogged, repeats }: Outage) => {
  const round = [...minutesOf(minutes, requests, isLogged), ...minutesOf(minutes, usual)]
  const rounds = repeats ? SIX_HOURS / round.length : 1
  const during = Array.from({ length: rounds }, () => round).flat()
  const all = [...minutesOf(BEFORE, usual), ...during, ...minutesOf(SIX_HOURS, usual)]
  return all.slice(0, BEFORE + SIX_HOURS)
}

/** The mails of an alarm in six hours: most of them, and the latest first and last minute. */
const mailsOf = (alarm: (typeof alarms)[number], minutes: Minute[]) => {
  const ways = [0, 1, 2].flatMap((late) => simulate(filters, alarm, minutes, late))
  const mails = ways.map(({ on, off }) =>
    [...on, ...(alarm.OKActions ? off : [])]
      .map((minute) => minute - BEFORE)
      .filter((minute) => minute > 0)
      .toSorted((one, other) => one - other),
  )
  return {
    name: alarm.name,
    most: Math.max(...mails.map(({ length }) => length)),
    first: Math.max(...mails.map(([first = Infinity]) => first)),
    last: Math.max(...mails.map((each) => each.at(-1) ?? 0)),
  }
}

const mailsDuring = (outage: Outage) => {
  const minutes = minutesWith(outage)
  return ofApi.map((alarm) => mailsOf(alarm, minutes)).filter(({ most }) => most > 0)
}

const usual = { 200: 36_000 }
const deletion = { usual, requests: { 200: 18_000, 500: 18_000 } }
const canary = { 200: 32_400, 500: 3600 }

/** Until an alarm stops the canary of updatePet. */
const minutesOfCanary = (): number => {
  const alarm = alarms.find(({ name }) => name === 'updatePetErrors')
  const ways = simulate(filters, alarm, minutesOf(20, canary), 2)
  return Math.max(...ways.flatMap(({ on }) => on.slice(0, 1)))
}

const outages: [outage: string, Outage][] = [
  ['a table is deleted', deletion],
  ['the same, an hour after a bug', { ...deletion, usual: { ...usual, 502: 1 } }],
  ['the same, while the access log is not written', { ...deletion, isLogged: false }],
  ['3 % of the requests get a 503', { usual, requests: { 200: 34_920, 503: 1080 } }],
  ['the same, 0.5 a second', { usual: { 200: 1800 }, requests: { 200: 1746, 503: 54 } }],
  ['3 % of the writes get a 503, 5 % are writes', { usual, requests: { 200: 35_946, 503: 54 } }],
  ['one of 100 operations fails', { usual, requests: { 200: 35_640, 500: 360 } }],
  ['all requests are refused', { usual, requests: { 401: 36_000 } }],
  ['one request in ten minutes, a 500', { usual: { 200: 6 }, requests: { 500: 6 } }],
  ['one of a million fails', { requests: { ...usual, 502: 0.036 }, minutes: SIX_HOURS }],
  ['the same, 100 a second', { requests: { 200: 360_000, 502: 0.36 }, minutes: SIX_HOURS }],
  ['one of 10,000 gets a 503', { requests: { ...usual, 503: 3.6 }, minutes: SIX_HOURS }],
  [
    'a client gets 404s every other half hour',
    { usual, requests: { ...usual, 404: 360_000 }, minutes: 30, repeats: true },
  ],
  [
    'a client gets 429s every other half hour',
    { usual, requests: { ...usual, 429: 72_000 }, minutes: 30, repeats: true },
  ],
  ['a canary returns 500', { usual, requests: canary, minutes: minutesOfCanary() }],
  ['three requests in 200 take 2.9 s', { usual, requests: { 200: 35_460, slow: 540 } }],
]

test('OPERATE.md has the mails of each outage; to write them, run this test with --update', async () => {
  const rows = outages.map(([outage, requests]) => {
    const mails = mailsDuring(requests)
    const first = Math.min(...mails.map((each) => each.first))
    const last = Math.max(...mails.map((each) => each.last))
    const most = mails.reduce((sum, each) => sum + each.most, 0)
    const names = mails.map(({ name }) => `\`${name}\``).join(', ')
    const minutes = most ? `${names} | ${first} | ${last}` : 'none | |'
    return `| ${outage} | ${minutes} | ${most} |\n`
  })

  const text = readFileSync('infra/OPERATE.md', 'utf8')
  const table = /(?<=^\| outage \|.+\n\| --- .+\n)(\|.+\n)*/m
  expect(text).toMatch(table)
  await expect(text.replace(table, rows.join(''))).toMatchFileSnapshot(resolve('infra/OPERATE.md'))
})

test.each<[what: string, Outage, names: string[]]>([
  ['two requests of each hour get a 503', { requests: { 503: 2, 200: 2400 } }, []],
  ['4 of 3,000 requests get a 503', { requests: { 200: 35_952, 503: 48 } }, []],
  ['one of 10,000 gets a 503, 1,000 a second', { requests: { 200: 3.6e6, 503: 360 } }, []],
  ['one of 10,000 fails, 1,000 a second', { requests: { 200: 3.6e6, 502: 360 } }, ['ApiBroken']],
  [
    'one of 500 fails, and another one gets a 503, 1,000 a second',
    { requests: { 200: 3.6e6, 502: 7200, 503: 7200 } },
    ['ApiFails', 'ApiUnavailable', 'ApiBroken'],
  ],
  ['one of 60 requests an hour fails', { requests: { 200: 60, 502: 1 } }, ['ApiBroken']],
  ['one request in 45 minutes gets a 503', { requests: { 200: 1000, 503: 4 / 3 } }, []],
  ['a third of the requests are conflicts', { requests: { 201: 480, 409: 240 } }, []],
  ['a scanner sends 15 requests every five minutes', { requests: { 404: 180 } }, []],
  ['a scanner sends 40 every five minutes', { requests: { 404: 480 } }, ['ApiRefuses']],
  [
    'a scanner sends 500 at once',
    { usual: { 200: 1200 }, requests: { 404: 6000 }, minutes: 5 },
    [],
  ],
  [
    'all are slow for five minutes',
    { usual: { 200: 600 }, requests: { slow: 600 }, minutes: 5 },
    [],
  ],
  ['4 % are throttled', { usual, requests: { 200: 34_560, 429: 1440 } }, []],
  ['one of few requests is throttled', { requests: { 200: 60, 429: 4 } }, []],
  ['a minute is throttled', { usual: { 200: 4800 }, requests: { 429: 18_000 }, minutes: 1 }, []],
])('only the expected alarms send mail if %s', (_, outage, names) => {
  const mails = mailsDuring({ minutes: SIX_HOURS, ...outage })

  expect(mails.map(({ name }) => name)).toEqual(names)
})

test('LogsMissing compares requests with the lines of the access log', () => {
  const { Metrics } = notifying.find(({ name }) => name === 'LogsMissing')

  const { DestinationArn } = only(template, 'AWS::ApiGateway::Stage').AccessLogSetting
  const { Dimensions } = Metrics[1].MetricStat.Metric
  expect(Dimensions).toEqual([{ Name: 'LogGroupName', Value: { Ref: expect.any(String) } }])
  expect(JSON.stringify(DestinationArn)).toContain(`"${Dimensions[0].Value.Ref}"`)
})

test('alarms send mail when they go off and end, but those of defects not when they end, and those of a canary never', () => {
  const comparison = {
    ComparisonOperator: 'GreaterThanThreshold',
    TreatMissingData: 'notBreaching',
  }
  for (const alarm of alarms) expect(alarm).toMatchObject(comparison)
  for (const { AlarmActions, OKActions, name } of notifying)
    expect([AlarmActions, OKActions]).toEqual([
      [topic],
      ['ApiBroken', 'ItemsDamaged'].includes(name) ? undefined : [topic],
    ])
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

test('a damaged item sends one mail a day', () => {
  const { AlarmActions, OKActions, ...alarm } = alarms.find(({ name }) => name === 'ItemsDamaged')

  expect([AlarmActions, OKActions]).toEqual([[topic], undefined])
  expect(alarm).toMatchObject({
    MetricName: 'ItemsDamaged',
    Statistic: 'Sum',
    Threshold: 0,
    Period: 3600,
    EvaluationPeriods: 24,
    DatapointsToAlarm: 1,
  })
})
