// What alarms do in stories with random requests: proves the first mails in infra/OPERATE.md. CloudWatch has
// the data of a minute two minutes later, and that of the access log up to five minutes after that.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { alarmsOf, propertiesOf, templateOf } from './template.ts'

/**
 * How many requests an hour get a status. `slow` ones get a 200 after more than a second, and
 * `unlogged` ones a 200 that the access log lacks.
 */
type Requests = Record<string | 'slow' | 'unlogged', number>

/** What happens for some minutes, once or every so many minutes, and at all other times. */
type Story = { usual: Requests; during?: Requests; minutes?: number; every?: number }

type MetricStat = {
  Metric: Record<'Namespace' | 'MetricName', string>
  Stat: string
  Period: number
}
type MetricData = { Id: string; Expression?: string; MetricStat?: MetricStat }

const HOUR = 60
const DAY = 24 * HOUR
const BEFORE = 3 * HOUR // Longer than any alarm looks back.

const template = templateOf('production')
const filters = propertiesOf(template, 'AWS::Logs::MetricFilter')
const alarms = alarmsOf(template).filter(({ AlarmActions }) => AlarmActions)
type Alarm = (typeof alarms)[number]

/** For each status, how many requests there were before each minute, by chance (Poisson). */
type Traffic = Map<string, Float64Array>

const randomTraffic = (story: Story, length: number, random: () => number): Traffic => {
  const { usual, during = usual, minutes = length, every = Infinity } = story
  const traffic: Traffic = new Map()
  for (const status of new Set([...Object.keys(usual), ...Object.keys(during)])) {
    const counts = new Float64Array(BEFORE + length + 1)
    for (let minute = 0; minute < BEFORE + length; minute++) {
      const isDuring = minute >= BEFORE && (minute - BEFORE) % every < minutes
      const perHour = (isDuring ? during : usual)[status] ?? 0
      counts[minute + 1] = (counts[minute] ?? 0) + poisson(perHour / HOUR, random)
    }
    traffic.set(status, counts)
  }
  return traffic
}

/** Random numbers from 0 to 1, the same for each seed (mulberry32). */
const randomNumbers = (seed: number) => (): number => {
  seed = (seed + 0x6d2b79f5) | 0
  let mixed = Math.imul(seed ^ (seed >>> 15), 1 | seed)
  mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
  return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
}

const poisson = (mean: number, random: () => number): number => {
  if (mean > 30) {
    const normal = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())
    return Math.round(mean + Math.sqrt(mean) * normal)
  }
  let count = 0
  for (let product = random(); product > Math.exp(-mean); product *= random()) count++
  return count
}

/** Whether a metric counts the requests with a status, by its name or by its filter. */
const isCounted = ({ Metric, Stat }: MetricStat, status: string): boolean => {
  switch (`${Stat} ${Metric.MetricName}`) {
    case 'Sum Count':
      return true
    case 'Sum IncomingLogEvents':
      return status !== 'unlogged'
    case 'Sum 5XXError':
      return status.startsWith('5')
    case 'TC(1000:) Latency':
      return status === 'slow'
  }
  const filter = filters.find(({ MetricTransformations: [made] }) =>
    [made.MetricNamespace, made.MetricName].every((name) => Object.values(Metric).includes(name)),
  )
  const condition = `${filter?.FilterPattern}`
    .slice(2, -2)
    .replaceAll(/\$\.status (!?=) "(\w+)(\*?)"/g, (_, operator, value, star) => {
      const isEqual = star ? status.startsWith(value) : status === value
      return `${isEqual === (operator === '=')}`
    })
  return new Function(`return ${condition}`)() === true
}

/** Returns the period of an alarm, and what says if a window breaches, by the data at a minute. */
const windowsOf = (alarm: Alarm, traffic: Traffic, late: number) => {
  const data: MetricData[] = alarm.Metrics
  const inputs = data.flatMap(({ MetricStat }) => MetricStat ?? [])
  const counted = inputs.map((stat) => [...traffic].filter(([status]) => isCounted(stat, status)))
  const period = (inputs[0]?.Period ?? 60) / 60
  const expression = data.find(({ Expression }) => Expression)?.Expression
  const ids = data.flatMap(({ Id, MetricStat }) => (MetricStat ? Id : []))
  const evaluate = new Function('IF', 'FILL', ...ids, `return ${expression}`)
  const choose = (condition: boolean, yes: number, no: number) => (condition ? yes : no)
  const fill = (value: number | undefined, other: number) => value ?? other
  const isBreaching = (end: number, now: number): boolean => {
    const oldest = Math.max(0, end - period)
    const sums = inputs.map(({ Metric }, i) => {
      const delay = Metric.Namespace === 'AWS/ApiGateway' ? 2 : 2 + late
      const newest = Math.max(oldest, Math.min(end, now - delay))
      const counts = counted[i]?.map(([, each]) => (each[newest] ?? 0) - (each[oldest] ?? 0))
      // A count has no data, instead of zero, while there is nothing to count.
      return counts?.reduce((sum, each) => sum + each, 0) || undefined
    })
    return evaluate(choose, fill, ...sums) > alarm.Threshold
  }
  return { period, isBreaching }
}

/** A story as it may happen: how many minutes the access log is late, and when windows begin. */
type Run = { late: number; phase: number; traffic: Traffic }

/** When an alarm sends mail after the start of a story, in minutes. */
const mails = (alarm: Alarm, { late, phase, traffic }: Run): number[] => {
  const { period, isBreaching } = windowsOf(alarm, traffic, late)
  const step = alarm.EvaluationWindow ? period : 1 // By default, windows slide.
  const minutes = ([...traffic.values()][0]?.length ?? 1) - 1
  const found: number[] = []
  for (let now = 1 + phase, wasOn = false; now <= minutes; now++) {
    if ((now - phase) % step !== 0) continue
    let breaching = 0
    for (let i = 0; i < alarm.EvaluationPeriods && now > i * period; i++)
      if (isBreaching(now - i * period, now)) breaching++
    const isOn = breaching >= alarm.DatapointsToAlarm
    if (isOn !== wasOn && (isOn || alarm.OKActions)) found.push(now - BEFORE)
    wasOn = isOn
  }
  return found.filter((minute) => minute > 0)
}

/** Some runs of a story, with other seeds. */
const runsOf = (story: Story, length: number, runs: number): Run[] =>
  Array.from({ length: runs }, (_, run) => {
    const random = randomNumbers(run)
    const [late, phase] = [Math.floor(random() * 6), Math.floor(random() * 5)]
    return { late, phase, traffic: randomTraffic(story, length, random) }
  })

const ok = 36_000 // Ten requests a second.
const part = (status: string, share: number): Requests => ({
  200: ok * (1 - share),
  [status]: ok * share,
})

/** The outages of infra/OPERATE.md, in the order of its table. */
const outages: Record<string, Story> = {
  ApiDown: { usual: { 200: ok }, during: part('500', 0.5) },
  ApiFails: { usual: { 200: ok }, during: part('502', 0.0008) },
  ApiUnavailable: { usual: { 200: ok }, during: part('503', 0.0008) },
  ApiBroken: { usual: { 200: ok }, during: part('500', 0.01) },
  ApiRefuses: { usual: { 200: ok }, during: part('401', 0.1) },
  ApiThrottles: { usual: { 200: 360 }, during: { 429: 360 } },
  ApiSlowForMany: { usual: { 200: ok }, during: part('slow', 1 / 3) },
  LogsMissing: { usual: { 200: 60 }, during: { unlogged: 60 } },
}

/** Ordinary traffic: so many requests a second, few of which fail, are refused or slow. */
const ordinary = (perSecond: number): Story => {
  const shares = { 400: 0.01, 401: 0.005, 404: 0.01, 502: 1e-5, 503: 1e-5, slow: 0.002 }
  const rest = Object.entries(shares).map(([status, share]) => [status, 3600 * perSecond * share])
  return { usual: { 200: 3600 * perSecond, ...Object.fromEntries(rest) } }
}

/** What sends no mail in ten days. */
const quiet: Record<string, Story> = {
  'one request a minute': ordinary(1 / 60),
  'ten a second': ordinary(10),
  'ten a minute, 1 % are slow': { usual: { 200: 594, slow: 6 } },
  'one a minute, half are invalid': { usual: { 200: 30, 400: 30 } },
  'a sale: many clients for each pet': {
    usual: { 200: 600 },
    during: { 200: 600, 409: 4000 },
    minutes: 30,
    every: 4 * HOUR,
  },
  'a client with 4 % of the requests has no valid key': { usual: part('401', 0.04) },
  'a minute is throttled': {
    usual: { 200: 4800 },
    during: { 200: 4800, 429: 18_000 },
    minutes: 1,
    every: DAY,
  },
}

/** The first mail of each alarm: a minute for half of the runs, and one for nine tenths. */
const firstMails = alarms.map((alarm) => {
  const runs = runsOf(outages[alarm.name] ?? assert.fail(alarm.name), 2 * HOUR, 50)
  const first = runs.map((run) => mails(alarm, run)[0] ?? Infinity).sort((a, b) => a - b)
  const [half, most] = [0.5, 0.9].map((part) => first[part * first.length])
  return `${alarm.name}: ${half} (${most})`
})
console.log(firstMails.join('\n'))

for (const [what, story] of Object.entries(quiet)) {
  const runs = runsOf(story, 10 * DAY, 3)
  const isSent = (alarm: Alarm) => runs.some((run) => mails(alarm, run).length > 0)
  const sent = alarms.filter(isSent).map(({ name }) => name)
  console.log(`${what}: ${sent.join(', ') || 'no mail in ten days'}`)
  assert.deepEqual(sent, [])
}
const rows = readFileSync('infra/OPERATE.md', 'utf8').matchAll(/^\| `(\w+)` \|.*\| (\d.*) \|$/gm)
assert.deepEqual(
  Array.from(rows, ([, alarm, mail]) => `${alarm}: ${mail}`),
  firstMails,
  'The table of alarms in infra/OPERATE.md has other minutes.',
)
