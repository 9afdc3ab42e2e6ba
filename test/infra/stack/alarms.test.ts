import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { operationIds } from '../../../shared/contract.ts'
import { type Chance, simulate } from './simulated-alarms.ts'
import {
  type Kind,
  type Phase,
  type Requests,
  randomNumbers,
  randomTraffic,
} from './simulated-traffic.ts'
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

const HOUR = 60 // Minutes.
const SIX_HOURS = 6 * HOUR
const TEN_DAYS = 240 * HOUR
const BEFORE = 3 * HOUR // Longer than any alarm looks back.
const RUNS = 12

/** What happens before, during and after an outage. What is usual fills the rest of the time. */
type Outage = {
  usual?: Requests
  before?: Phase[]
  during: Phase[]
  isRepeated?: boolean
  minutes?: number
}

const phasesWith = (outage: Outage): { before: Phase[]; after: Phase[] } => {
  const { usual = {}, before = [], during, isRepeated, minutes = SIX_HOURS } = outage
  const lengthOf = (phases: Phase[]) => phases.reduce((sum, each) => sum + each.minutes, 0)
  const rounds = isRepeated ? Math.ceil(minutes / lengthOf(during)) : 1
  const after = Array.from({ length: rounds }, () => during).flat()
  const rest = (phases: Phase[], length: number) => ({
    minutes: Math.max(0, length - lengthOf(phases)),
    perHour: usual,
  })
  return {
    before: [rest(before, BEFORE), ...before],
    after: [...after, rest(after, minutes)],
  }
}

/** What differs by chance in each run. */
const chanceOf = (run: number, random: () => number): Chance => ({
  late: Math.floor(random() * 6),
  uploaded: run % 2,
  phase: Math.floor(random() * 5),
  isEager: run % 4 < 2,
  extra: run % 3 ? 0 : 5,
})

/** The minutes after the start of an outage in which an alarm sends mail, for each run. */
const runsOf = (outage: Outage) => {
  const { before, after } = phasesWith(outage)
  return Array.from({ length: RUNS }, (_, run) => {
    const random = randomNumbers(run)
    const chance = chanceOf(run, random)
    const traffic = randomTraffic([...before, ...after], random)
    return ofApi.map((alarm) => {
      const { on, off } = simulate(filters, alarm, traffic, chance)
      const later = (minutes: number[]) =>
        minutes.map((minute) => minute - BEFORE).filter((minute) => minute > 0)
      return { name: alarm.name, on: later(on), off: alarm.OKActions ? later(off) : [] }
    })
  })
}

const median = (numbers: number[]): number =>
  numbers.toSorted((one, other) => one - other)[Math.floor(numbers.length / 2)] ?? 0

/** The median and the worst of all runs, such as `5–8`. */
const medianAndWorst = (numbers: number[]): string => {
  const shown = [median(numbers), Math.max(...numbers)].map((n) =>
    n < Infinity ? `${n}` : 'never',
  )
  return [...new Set(shown)].join('–')
}

const mailsDuring = (outage: Outage) => {
  const runs = runsOf(outage)
  const names = ofApi.map(({ name }) => name)
  return {
    names: names.filter((_, i) => runs.some((alarms) => alarms[i]?.on.length)),
    first: runs.map((alarms) => Math.min(...alarms.flatMap(({ on }) => on))),
    counts: runs.map((alarms) => alarms.flatMap(({ on, off }) => [...on, ...off]).length),
  }
}

const TEN_A_SECOND = 36_000 // An hour.
const usual: Requests = { ok: TEN_A_SECOND }
/** A part of ten requests a second, for an hour. */
const partly = (kind: Kind, part: number): Phase => ({
  minutes: HOUR,
  perHour: { ok: TEN_A_SECOND * (1 - part), [kind]: TEN_A_SECOND * part },
})
const halves: Phase[] = [{ minutes: 30, perHour: usual }]
const deletion = { usual, during: [partly('bug', 0.5)] }
const pause: Phase = { minutes: 25, perHour: usual }
const withStrays = (perSecond: number, share: number): Outage => ({
  during: [
    { minutes: TEN_DAYS, perHour: { ok: perSecond * 3600, crash: perSecond * 3600 * share } },
  ],
  minutes: TEN_DAYS,
})

/** Until an alarm stops the canary of updatePet. */
const minutesOfCanary = (): number => {
  const alarm = alarms.find(({ name }) => name === 'updatePetErrors')
  const traffic = randomTraffic([partly('bug', 0.1)], randomNumbers(1))
  const chance = { late: 2, uploaded: 0, phase: 0, isEager: true, extra: 5 }
  return simulate(filters, alarm, traffic, chance).on[0] ?? Infinity
}

const outages: [outage: string, Outage][] = [
  ['a table is deleted', deletion],
  [
    'the same, beside a bug of 0.3 %',
    { ...deletion, before: [{ ...partly('bug', 0.003), minutes: BEFORE }] },
  ],
  [
    'the same, 25 minutes after the last time',
    { ...deletion, before: [partly('bug', 0.5), pause] },
  ],
  ['the same, 25 minutes after 503s', { ...deletion, before: [partly('hang', 0.5), pause] }],
  [
    'the same, while the access log is not written',
    {
      usual,
      before: [{ minutes: HOUR, perHour: usual, isLogged: false }],
      during: [{ ...partly('bug', 0.5), isLogged: false }],
    },
  ],
  ['DynamoDB does not respond', { usual, during: [partly('hang', 1)] }],
  ['DynamoDB refuses all requests', { usual, during: [partly('refusal', 1)] }],
  ['3 % of the requests get a 503', { usual, during: [partly('refusal', 0.03)] }],
  [
    'the same, 0.5 a second',
    { usual: { ok: 1800 }, during: [{ minutes: HOUR, perHour: { ok: 1746, refusal: 54 } }] },
  ],
  ['3 % of the writes get a 503, 5 % are writes', { usual, during: [partly('refusal', 0.0015)] }],
  ['one of 100 operations fails', { usual, during: [partly('bug', 0.01)] }],
  [
    '5 % fail for four minutes of each half hour',
    {
      during: [
        { ...partly('crash', 0.05), minutes: 4 },
        { minutes: 26, perHour: usual },
      ],
      isRepeated: true,
    },
  ],
  ['all requests are refused', { usual, during: [partly('invalidKey', 1)] }],
  [
    'the same, one a minute',
    { usual: { ok: 60 }, during: [{ minutes: HOUR, perHour: { invalidKey: 60 } }] },
  ],
  [
    'one request in ten minutes, a 500',
    { usual: { ok: 6 }, during: [{ minutes: HOUR, perHour: { bug: 6 } }] },
  ],
  ['one of 10,000 gets a 503', { during: [{ ...partly('refusal', 0.0001), minutes: SIX_HOURS }] }],
  [
    'a client gets 404s every other half hour',
    {
      during: [{ minutes: 30, perHour: { ...usual, notFound: 360_000 } }, ...halves],
      isRepeated: true,
    },
  ],
  [
    'a client gets 429s every other half hour',
    {
      during: [{ minutes: 30, perHour: { ...usual, throttled: 72_000 } }, ...halves],
      isRepeated: true,
    },
  ],
  [
    'a canary returns 500',
    { usual, during: [{ ...partly('bug', 0.1), minutes: minutesOfCanary() }] },
  ],
  ['three requests in 200 take 2.9 s', { usual, during: [partly('threeSeconds', 0.015)] }],
  [
    'one in 50 takes 1.9 s',
    { usual, during: [{ ...partly('twoSeconds', 0.02), minutes: SIX_HOURS }] },
  ],
  ['a third take 1.5 s', { usual, during: [partly('oneAndAHalf', 1 / 3)] }],
  [
    'all take 4 s for 20 minutes',
    { usual, during: [{ ...partly('fourSeconds', 1), minutes: 20 }] },
  ],
  ['ten days, one of a million gets a 502', withStrays(10, 1e-6)],
  ['the same, one of 100,000', withStrays(10, 1e-5)],
  ['the same, one of a million, 100 a second', withStrays(100, 1e-6)],
  [
    'ten days, one request a minute, and a daily scan',
    {
      during: [
        { minutes: 24 * HOUR - 5, perHour: { ok: 60 } },
        { minutes: 5, perHour: { ok: 60, scan: 6000 } },
      ],
      isRepeated: true,
      minutes: TEN_DAYS,
    },
  ],
  [
    'ten days, six a minute, and bots',
    {
      during: [{ minutes: TEN_DAYS, perHour: { ok: 360, scan: 240, invalidKey: 12 } }],
      minutes: TEN_DAYS,
    },
  ],
]

test('OPERATE.md has the mails of each outage; to write them, run this test with --update', {
  timeout: 300_000,
}, async () => {
  const rows = outages.map(([outage, requests]) => {
    const { names, first, counts } = mailsDuring(requests)
    const alarms = names.map((name) => `\`${name}\``).join(', ')
    const found = names.length ? `${alarms} | ${medianAndWorst(first)}` : 'none |'
    return `| ${outage} | ${found} | ${medianAndWorst(counts)} |\n`
  })

  const text = readFileSync('infra/OPERATE.md', 'utf8')
  const table = /(?<=^\| outage \|.+\n\| --- .+\n)(\|.+\n)*/m
  expect(text).toMatch(table)
  await expect(text.replace(table, rows.join(''))).toMatchFileSnapshot(resolve('infra/OPERATE.md'))
})

const hours = (perHour: Requests): Outage => ({ during: [{ minutes: SIX_HOURS, perHour }] })
const minutes = (minutes: number, perHour: Requests, usual: Requests): Outage => ({
  usual,
  during: [{ minutes, perHour }],
})

test.each<[what: string, Outage, names: string[]]>([
  ['two requests of each hour get a 503', hours({ refusal: 2, ok: 2400 }), []],
  ['one of 10,000 gets a 503, 1,000 a second', hours({ ok: 3.6e6, refusal: 360 }), []],
  ['one of 10,000 gets a 502, 1,000 a second', hours({ ok: 3.6e6, crash: 360 }), []],
  [
    'one of 500 fails, and another one gets a 503, 1,000 a second',
    hours({ ok: 3.6e6, bug: 7200, refusal: 7200 }),
    ['ApiFails', 'ApiUnavailable', 'ApiBroken'],
  ],
  ['one of a million requests is a 500', hours({ ok: 360_000, bug: 0.36 }), ['ApiBroken']],
  ['one of 60 requests an hour fails', hours({ ok: 60, bug: 1 }), ['ApiBroken']],
  ['a third of the requests are conflicts', hours({ ok: 480, conflict: 240 }), []],
  ['a scanner sends most requests', hours({ ok: 60, scan: 4800 }), []],
  ['a scanner tries keys', hours({ invalidKey: 480 }), ['ApiRefuses']],
  ['500 are refused at once', minutes(5, { invalidKey: 6000 }, { ok: 1200 }), []],
  ['some are slow for five minutes', minutes(5, { threeSeconds: 24, ok: 576 }, { ok: 600 }), []],
  ['4 % are throttled', hours({ ok: 34_560, throttled: 1440 }), []],
  ['one of few requests is throttled', hours({ ok: 60, throttled: 4 }), []],
  ['a minute is throttled', minutes(1, { throttled: 18_000 }, { ok: 4800 }), []],
  [
    '12 requests an hour have lines that are counted a minute late',
    { ...hours({ ok: 12 }), isRepeated: true, minutes: TEN_DAYS },
    [],
  ],
])('only the expected alarms send mail if %s', (_, outage, names) => {
  expect(mailsDuring(outage).names).toEqual(names)
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

test('the topic is an output, for other subscriptions', () => {
  expect(template.toJSON().Outputs.AlarmTopic.Value).toEqual(topic)
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
