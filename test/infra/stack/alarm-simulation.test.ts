import { describe, expect, test } from 'vitest'
import { alarmName, type Mail, type Schedule, simulate } from './alarm-simulator.ts'
import type { Requests } from './simulated-metrics.ts'
import { resourcesOf, templateOf } from './template.ts'

// What the alarms of a template do in outages, minute by minute, and in what is none.

const template = templateOf('production')
const notifying = resourcesOf(template, 'AWS::CloudWatch::Alarm').filter(
  ([, { Properties }]) => Properties.AlarmActions,
)

/** So many requests in so many minutes, evenly. */
type Rate = Requests & { per: number }

const rate = (count: number, kind: Partial<Rate> = {}): Rate => ({
  count,
  per: 5,
  status: 200,
  milliseconds: 50,
  ...kind,
})
const lists = (count: number, status = 200, per = 5) => rate(count, { status, per })
const slow = (count: number) => rate(count, { milliseconds: 2900 })
const creates = (count: number, status = 201, per = 5) => rate(count, { status, per })
const scans = (count: number) => rate(count, { status: 404 })
/** Requests of ten operations. */
const all = (count: number, status: number) =>
  Array.from({ length: 10 }, () => rate(count, { status }))

const minutesOf = (length: number, rates: Rate[]): Requests[][] =>
  Array.from({ length }, (_, minute) =>
    rates.flatMap(({ per, ...kind }) => {
      // The first one comes at once.
      const until = (end: number) => Math.ceil((end * kind.count) / per)
      const count = until(minute + 1) - until(minute)
      return count > 0 ? [{ ...kind, count }] : []
    }),
  )

/** What happens for how many minutes (default: 60), after and before what is usual. */
type Story = { usual?: Rate[]; rates: Rate[]; minutes?: number }

/** Minutes of usual requests before a story, and after it. */
const BEFORE = 60
const AFTER = 180

const schedules: Schedule[] = [
  'sliding',
  ...Array.from({ length: 60 }, (_, offset) => ({ offset })),
]

/**
 * The mails of a story, for each schedule, and however far CloudWatch looks back. Its first minute
 * is 1.
 */
const mailsOf = ({ usual = [], rates, minutes = 60 }: Story): Mail[][] => {
  const requests = [
    ...minutesOf(BEFORE, usual),
    ...minutesOf(minutes, rates),
    ...minutesOf(AFTER, usual),
  ]
  const mails = simulate(template, requests)
  const inStory = (mail: Mail) => ({ ...mail, minute: mail.minute - BEFORE })
  return [0, 2].flatMap((extra) => schedules.map((schedule) => mails(schedule, extra).map(inStory)))
}

/** The minute of the first mail in the worst schedule, and infinity if a schedule has none. */
const latest = (mails: Mail[][]): number =>
  Math.max(...mails.map((ofSchedule) => Math.min(...ofSchedule.map(({ minute }) => minute))))

const alarmsOf = (mails: Mail[]): string[] => [...new Set(mails.map(({ alarm }) => alarm))].sort()

const UNAVAILABLE = ['ApiUnavailable', 'ApiUnavailableRarely']
const HOUR = 70 // An hour, and what passes before it begins and until its data is there.
const DAY = 24 * 60

type Outage = Story & { by: number; alarms: string[] }

const refusal = (status: number): Outage => ({
  usual: [lists(220)],
  rates: [lists(200, status), lists(20)],
  minutes: 20,
  by: 20,
  alarms: ['ApiRefuses'],
})

const outages: Record<string, Outage> = {
  'the only requests are creates, and three of three get a 503': {
    rates: [creates(3, 503)],
    by: HOUR,
    alarms: ['ApiUnavailableRarely'],
  },
  'three of three creates get a 503, beside a scanner': {
    rates: [creates(3, 503), scans(50)],
    by: HOUR,
    alarms: ['ApiRefuses', 'ApiUnavailableRarely'],
  },
  'four of four creates get a 502, beside 400 lists': {
    usual: [lists(400)],
    rates: [creates(4, 502), lists(400)],
    by: 15,
    alarms: ['ApiBroken'],
  },
  'each of ten operations gets a 503 once in five minutes': {
    rates: all(1, 503),
    minutes: 10,
    by: 15,
    alarms: UNAVAILABLE,
  },
  'one create gets a 500 in each hour of a day': {
    rates: [creates(1, 500, 60)],
    minutes: DAY,
    by: 15,
    alarms: ['ApiBroken'],
  },
  '0.9 % of many lists get a 503': {
    usual: [lists(10_000)],
    rates: [lists(90, 503), lists(9_910)],
    by: 15,
    alarms: UNAVAILABLE,
  },
  'valid keys are unknown': refusal(401),
  'keys lack a renamed scope': refusal(403),
  'valid bodies are refused': refusal(400),
  'one request in 100 takes 2.9 s': {
    usual: [lists(400)],
    rates: [lists(396), slow(4)],
    minutes: 20,
    by: 25,
    alarms: ['ApiSlow'],
  },
  'two thirds of the requests are throttled': {
    usual: [lists(400)],
    rates: [lists(200), lists(400, 429)],
    minutes: 30,
    by: 20,
    alarms: ['ApiThrottles'],
  },
}

const simulated = Object.entries(outages).map(([what, { by, alarms, ...story }]) => ({
  what,
  by,
  alarms: alarms.toSorted(),
  mails: mailsOf(story),
}))

test.each(simulated)(
  'if $what, there is a mail of $alarms by minute $by',
  ({ by, alarms, mails }) => {
    for (const ofSchedule of mails) expect(alarmsOf(ofSchedule)).toEqual(alarms)
    expect(latest(mails)).toBeLessThanOrEqual(by)
  },
)

test('what fails once in each hour of a day, early or late, sends one mail, and one when it has ended', () => {
  const failing = Array.from({ length: 24 }, (_, hour) => hour * 60 + (hour % 2 === 0 ? 5 : 55))
  const minutes = Array.from({ length: DAY + 300 }, (_, minute) =>
    failing.includes(minute) ? [creates(1, 500)] : [],
  )
  const mails = simulate(template, minutes)

  for (const schedule of schedules)
    expect(mails(schedule, 0)).toMatchObject([
      { alarm: 'ApiBroken', state: 'ALARM' },
      { alarm: 'ApiBroken', state: 'OK' },
    ])
})

const quiet: [what: string, story: Story][] = [
  ['a scanner sends 40 requests in five minutes', { rates: [scans(40)] }],
  [
    'a scanner sends 500 requests in five minutes and ends',
    { usual: [lists(100)], rates: [scans(500)], minutes: 5 },
  ],
  [
    'three requests of a day get a 503',
    { usual: [lists(100)], rates: [lists(3, 503, DAY), lists(100)], minutes: DAY },
  ],
  ['two requests of each hour get a 503', { rates: [lists(2, 503, 60), lists(100)], minutes: DAY }],
  ['a third of the requests are conflicts', { rates: [creates(40), creates(20, 409)] }],
  ['all requests are slow for five minutes', { usual: [lists(50)], rates: [slow(50)], minutes: 5 }],
  [
    'one of few requests is throttled now and then',
    { usual: [lists(5)], rates: [lists(5), lists(1, 429, 15)] },
  ],
  [
    'a minute is throttled',
    { usual: [lists(400)], rates: [lists(100, 200, 1), lists(300, 429, 1)], minutes: 1 },
  ],
]

test.each(quiet)('if %s, there is no mail', (_, story) => {
  expect(mailsOf(story).flat()).toEqual([])
})

describe.each([
  ['nothing else', []],
  ['many others', [lists(100_000)]],
])('beside %s,', (_, usual) => {
  test.each([500, 503])(
    'ten minutes of a %i in each minute have a mail by the fifteenth',
    (status) => {
      for (const [perMinute, minutes] of [
        [1, 10],
        [1, 30],
        [3, 13],
      ] as const) {
        const rates = [...usual, creates(perMinute, status, 1)]
        expect(latest(mailsOf({ usual, rates, minutes }))).toBeLessThanOrEqual(15)
      }
    },
  )

  test.each([500, 503])('three of a %i in each hour have a mail within two hours', (status) => {
    const rates = [...usual, creates(3, status, 60)]

    expect(latest(mailsOf({ usual, rates, minutes: 180 }))).toBeLessThanOrEqual(120)
  })
})

test('each alarm is needed: without it, an outage would have no mail, or a later one', () => {
  const isNeeded = (name: string) =>
    simulated.some(
      ({ by, mails }) =>
        latest(mails.map((each) => each.filter(({ alarm }) => alarm !== name))) > by,
    )

  const names = notifying.map(([id]) => alarmName(id))
  expect(names.filter((name) => !isNeeded(name))).toEqual([])
})

test('a deleted table sends one mail when it begins, and one when it has ended', () => {
  for (const ofSchedule of mailsOf({ usual: all(20, 200), rates: all(20, 500) }))
    expect(ofSchedule.map(({ alarm, state }) => [alarm, state])).toEqual([
      ['ApiBroken', 'ALARM'],
      ['ApiBroken', 'OK'],
    ])
})
