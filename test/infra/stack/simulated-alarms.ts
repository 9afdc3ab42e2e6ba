import { kinds, type Response, type Totals, type Traffic } from './simulated-traffic.ts'

/** The minutes in which an alarm goes off, and those in which it ends. */
export type Changes = { on: number[]; off: number[] }

/** What AWS does not say, or what is by chance. All but `extra` are in minutes. */
export type Chance = {
  /** After how many more minutes CloudWatch has the data of a log. */
  late: number
  /** How much later it counts the lines of a log. */
  uploaded: number
  /** When a window of the clock ends. */
  phase: number
  /** How often an alarm is evaluated: each minute, or each window. */
  isEager: boolean
  /** How many windows an alarm looks further back for missing data. */
  extra: number
}

type Metric = { Namespace: string; MetricName: string }
type MetricStat = { Metric: Metric; Stat: string; Period: number }
type MetricData = { Id: string; Expression?: string; MetricStat?: MetricStat; ReturnData?: boolean }
type Alarm = Metric & {
  Metrics?: MetricData[]
  Statistic?: string
  ExtendedStatistic?: string
  Period: number
  Threshold: number
  EvaluationPeriods: number
  DatapointsToAlarm?: number
  EvaluationWindow?: { WallClockWindow?: object }
}

type Transformation = { MetricNamespace: string; MetricName: string }
type Filter = { FilterPattern: string; MetricTransformations: Transformation[] }

/** A data point, if there is data. */
type Point = number | undefined

/** Minutes until CloudWatch has the data of a minute. A log can be later still. */
const DELAY = 2

/** When an alarm changes, evaluated as CloudWatch does it. */
export const simulate = (
  filters: Filter[],
  alarm: Alarm,
  traffic: Traffic,
  chance: Chance,
): Changes => {
  const { period, complete, windowAt } = alarmWindows(filters, alarm, traffic, chance)
  const step = alarm.EvaluationWindow?.WallClockWindow ? period : 1
  const interval = chance.isEager ? 1 : step
  const found: Changes = { on: [], off: [] }
  let wasOn = false
  let lastBreach = -Infinity
  const oldest = (alarm.EvaluationPeriods + chance.extra) * period
  for (let now = 0; now < traffic.minutes; now++) {
    if ((now + chance.phase) % interval !== 0) continue
    const end = now - ((now + chance.phase) % step)
    const at = (i: number) => windowAt(end - i * period, now)
    // Only recent windows can change, so most evaluations are over after them.
    for (let i = 0; i <= complete / period + 1; i++)
      if (at(i) === BREACHING) lastBreach = Math.max(lastBreach, end - i * period)
    const isOn = lastBreach > end - oldest && isBreaching(alarm, chance.extra, at)
    if (isOn !== wasOn) found[isOn ? 'on' : 'off'].push(now + 1)
    wasOn = isOn
  }
  return found
}

/** Whether enough of the newest windows with data breach. What is missing after all does not. */
const isBreaching = (alarm: Alarm, extra: number, at: (window: number) => number): boolean => {
  const { EvaluationPeriods, DatapointsToAlarm = EvaluationPeriods } = alarm
  let found = 0
  let breaching = 0
  for (let i = 0; i < EvaluationPeriods + extra && found < EvaluationPeriods; i++) {
    const window = at(i)
    if (window === WITHOUT_DATA) continue
    found++
    if (window === BREACHING && ++breaching === DatapointsToAlarm) return true
  }
  return false
}

const [UNKNOWN, WITHOUT_DATA, BELOW, BREACHING] = [0, 1, 2, 3]

/** The period of an alarm in minutes, and what it sees `now` of the window that ends in a minute. */
const alarmWindows = (filters: Filter[], alarm: Alarm, traffic: Traffic, chance: Chance) => {
  const metrics = metricsOf(alarm)
  const inputs = metrics.flatMap(({ Id, MetricStat }) =>
    MetricStat
      ? [{ Id, period: MetricStat.Period, ...series(filters, MetricStat, traffic, chance) }]
      : [],
  )
  const period = (inputs[0]?.period ?? 0) / 60
  const calculate = calculation(
    metrics,
    inputs.map(({ Id }) => Id),
  )
  const look = (end: number, age: number): number => {
    const seen = inputs.map(({ isLog, between }) => {
      const newest = Math.min(end, end + age - DELAY - (isLog ? chance.late : 0))
      return between(end + 1 - period, newest + 1)
    })
    const point = calculate(seen)
    if (point === undefined) return WITHOUT_DATA
    return point > alarm.Threshold ? BREACHING : BELOW
  }
  const complete = DELAY + chance.late
  const known = Array.from({ length: complete + 1 }, () => new Int8Array(traffic.minutes))
  const windowAt = (end: number, now: number): number => {
    if (end < 0) return WITHOUT_DATA
    const age = Math.min(now - end, complete) // Then all of its data is there.
    const windows = known[age] as Int8Array // There is one for each age.
    if (windows[end] === UNKNOWN) windows[end] = look(end, age)
    return windows[end] as number
  }
  return { period, complete, windowAt }
}

const metricsOf = ({ Metrics, ...Metric }: Alarm): MetricData[] => {
  const Stat = `${Metric.Statistic ?? Metric.ExtendedStatistic}`
  return Metrics ?? [{ Id: 'alone', MetricStat: { Metric, Stat, Period: Metric.Period } }]
}

/** Metric math, which has no value while an input without `FILL` has none. */
const calculation = (metrics: MetricData[], ids: string[]): ((values: Point[]) => Point) => {
  const expressions = metrics.filter(({ Expression }) => Expression)
  const text = expressions.map(({ Expression }) => Expression).join()
  const needed = ids.map((id) => !text.includes(`FILL(${id},`))
  // The one with the result is first, and those that it uses follow.
  const steps = expressions.reverse().map(({ Id, Expression }) => `const ${Id} = ${Expression}`)
  const result = expressions.at(-1)?.Id ?? ids[0]
  const calculate = new Function('IF', 'FILL', ...ids, `${steps.join('\n')}\nreturn ${result}`)
  const choose = (condition: boolean, yes: number, no: number) => (condition ? yes : no)
  const fill = (value: Point, other: number) => value ?? other
  return (values) =>
    values.some((value, i) => needed[i] && value === undefined)
      ? undefined
      : calculate(choose, fill, ...values)
}

/** What a metric is from a minute until before another, if there is data. */
type Series = { isLog: boolean; between: (from: number, to: number) => Point }

const series = (
  filters: Filter[],
  { Metric, Stat }: MetricStat,
  { all, logged }: Traffic,
  { uploaded }: Chance,
): Series => {
  const name = `${Stat} ${Metric.Namespace} ${Metric.MetricName}`
  switch (name) {
    case 'Sum AWS/ApiGateway Count':
      return { isLog: false, between: count(all) }
    case 'Sum AWS/ApiGateway 5XXError':
      return { isLog: false, between: count(all, ({ status }) => status >= 500) }
    case 'p90 AWS/ApiGateway Latency':
    case 'p99 AWS/ApiGateway Latency':
      return { isLog: false, between: latency(all, Number(Stat.slice(1)) / 100) }
    case 'Sum AWS/Logs IncomingLogEvents': {
      const lines = count(logged)
      return { isLog: true, between: (from, to) => lines(from - uploaded, to - uploaded) }
    }
  }
  const filter = filters.find(
    ({ MetricTransformations: [made] }) =>
      name === `Sum ${made?.MetricNamespace} ${made?.MetricName}`,
  )
  if (!filter) throw new Error(`Nothing makes ${name}.`)
  const terms = filter.FilterPattern.slice(2, -2).split(' && ')
  const isCounted = (response: Response) => terms.every((term) => isMet(term, response))
  return { isLog: true, between: count(logged, isCounted) }
}

/** A count has no data, instead of zero, while there is nothing to count. */
const count = (
  totals: Totals,
  isCounted = (_response: Response): boolean => true,
): Series['between'] => {
  const counted = [...totals].filter(([kind]) => isCounted(kinds[kind])).map(([, each]) => each)
  return (from, to) => {
    let sum = 0
    if (to > from)
      for (const each of counted)
        sum += (each[Math.max(0, to)] ?? 0) - (each[Math.max(0, from)] ?? 0)
    return sum || undefined
  }
}

/** A percentile of the latency: the least that such a share of the requests does not exceed. */
const latency = (totals: Totals, share: number): Series['between'] => {
  const all = count(totals)
  const times = [...totals.keys()].map((kind) => kinds[kind].milliseconds)
  const upTo = [...new Set(times)]
    .toSorted((one, other) => one - other)
    .map((time) => ({ time, counts: count(totals, ({ milliseconds }) => milliseconds <= time) }))
  return (from, to) => {
    const requests = all(from, to)
    if (requests === undefined) return undefined
    return upTo.find(({ counts }) => (counts(from, to) ?? 0) >= share * requests)?.time
  }
}

/** Whether a response meets a term of a filter pattern, such as `($.status = "4*")`. */
const isMet = (term: string, response: Response): boolean => {
  const [, field, operator, value = ''] = /(\w+) (!?=) "?([^")]+)/.exec(term) ?? []
  const actual = field === 'status' ? `${response.status}` : `${response.resource}`
  const matches = value.endsWith('*') ? actual.startsWith(value.slice(0, -1)) : actual === value
  return matches === (operator === '=')
}
