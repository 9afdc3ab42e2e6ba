import { expect, test } from 'vitest'
import { operationIds } from '../../../shared/contract.ts'
import { type Requests, simulate } from './simulated-alarms.ts'
import { everyOption, only, onlyId, propertiesOf, templateOf } from './template.ts'

const template = templateOf('production')
const topic = { Ref: onlyId(template, 'AWS::SNS::Topic') }
const notifying = propertiesOf(template, 'AWS::CloudWatch::Alarm').filter(
  ({ AlarmActions }) => AlarmActions,
)

const DAY = 24 * 60

/** The requests of an hour, for so many minutes, before and after what is usual. */
type Outage = { usual?: Requests; requests: Requests; minutes?: number }

/** How often each alarm mails at most, and the minute of its first mail at the latest. */
type Mails = Record<string, [mails: number, minute: number]>

const outages: [outage: string, Outage, Mails][] = [
  [
    'the only three requests of each hour get a 503',
    { requests: { 503: 3 }, minutes: 180 },
    { ApiUnavailableRarely: [6, 103] },
  ],
  [
    'one of many requests gets a 503 in each minute',
    { usual: { 200: 1e6 }, requests: { 200: 1e6, 503: 60 }, minutes: 10 },
    { ApiUnavailable: [6, 12], ApiUnavailableRarely: [6, 65] },
  ],
  [
    'one request gets a 502 in each hour of a day',
    { requests: { 502: 1 }, minutes: DAY },
    { ApiBroken: [2, 8] },
  ],
  [
    'valid keys and bodies are refused',
    { usual: { 200: 2640 }, requests: { 200: 240, 401: 1200, 400: 1200 }, minutes: 20 },
    { ApiRefuses: [2, 20] },
  ],
  [
    'one request in 100 takes 2.9 s',
    { usual: { 200: 4800 }, requests: { 200: 4752, slow: 48 }, minutes: 20 },
    { ApiSlow: [2, 22] },
  ],
  [
    'two thirds of the requests are throttled',
    { usual: { 200: 4800 }, requests: { 200: 2400, 429: 4800 }, minutes: 30 },
    { ApiThrottles: [2, 13] },
  ],
  ['two requests of each hour get a 503', { requests: { 503: 2, 200: 1200 }, minutes: DAY }, {}],
  ['a third of the requests are conflicts', { requests: { 201: 480, 409: 240 } }, {}],
  ['a scanner sends 40 requests in five minutes', { requests: { 404: 480 } }, {}],
  [
    'a scanner sends 500 requests in five minutes and ends',
    { usual: { 200: 1200 }, requests: { 404: 6000 }, minutes: 5 },
    {},
  ],
  [
    'all requests are slow for five minutes',
    { usual: { 200: 600 }, requests: { slow: 600 }, minutes: 5 },
    {},
  ],
  ['one of few requests is throttled now and then', { requests: { 200: 60, 429: 4 } }, {}],
  [
    'a minute is throttled',
    { usual: { 200: 4800 }, requests: { 200: 6000, 429: 18_000 }, minutes: 1 },
    {},
  ],
]

test.each(outages)(
  'mails of alarms if %s',
  (_, { usual = {}, requests, minutes = 60 }, expected) => {
    const before = minutesOf(60, usual)

    const simulated = simulate(template, [
      ...before,
      ...minutesOf(minutes, requests),
      ...minutesOf(240, usual),
    ])

    const mails = Object.entries(simulated).flatMap(([name, ways]) => {
      const most = Math.max(...ways.map(({ length }) => length))
      const latest = Math.max(...ways.map(([first = Infinity]) => first)) - before.length
      return most > 0 ? [[name, [most, latest]]] : []
    })
    expect(Object.fromEntries(mails)).toEqual(expected)
  },
)

/** The requests of each minute, evenly, of which the first one comes at once. */
const minutesOf = (length: number, ofHour: Requests): Requests[] =>
  Array.from({ length }, (_, minute) =>
    Object.fromEntries(
      Object.entries(ofHour).map(([response, count]) => [
        response,
        Math.ceil(((minute + 1) * count) / 60) - Math.ceil((minute * count) / 60),
      ]),
    ),
  )

test('the outages need each alarm', () => {
  const needed = outages.flatMap(([, , mails]) => Object.keys(mails))

  expect(new Set(needed)).toEqual(new Set(Object.keys(simulate(template, []))))
})

test('alarms say when they go off and when they end, except those that stop a canary: they notify nobody', () => {
  const alarms = propertiesOf(template, 'AWS::CloudWatch::Alarm')

  const comparison = {
    ComparisonOperator: 'GreaterThanThreshold',
    TreatMissingData: 'notBreaching',
  }
  for (const alarm of alarms) expect(alarm).toMatchObject(comparison)
  for (const alarm of notifying)
    expect(alarm).toMatchObject({ AlarmActions: [topic], OKActions: [topic] })
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
