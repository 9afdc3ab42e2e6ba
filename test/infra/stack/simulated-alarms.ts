/** How many requests get which response: a status, or `slow`, a 200 after 2.9 s. */
export type Requests = Record<string, number>

/** A minute. If it is not logged, the access log has no lines of its requests. */
export type Minute = { requests: Requests; isLogged: boolean }

/** The minutes in which an alarm goes off, and those in which it ends. */
export type Changes = { on: number[]; off: number[] }

type Metric = { Namespace: string; MetricName: string }
type MetricStat = { Metric: Metric; Stat: string; Period: number }
type Alarm = Metric & {
  Metrics?: { Id: string; Expression?: string; MetricStat?: MetricStat }[]
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

/**
 * When an alarm changes, evaluated as CloudWatch does it, with logs so many minutes `late`. There
 * are results for each minute in which a window of the clock may end, and for the extremes of what
 * AWS does not say: how often it evaluates, and how far it looks back for missing data.
 */
export const simulate = (
  filters: Filter[],
  alarm: Alarm,
  minutes: Minute[],
  late: number,
): Changes[] => {
  const { period, pointAt } = alarmPoints(filters, alarm, minutes, late)
  const step = alarm.EvaluationWindow?.WallClockWindow ? period : 1
  const phases = Array.from({ length: step }, (_, phase) => phase)
  const extremes = [
    { interval: 1, extra: 5 },
    { interval: step, extra: 0 },
  ]
  return phases.flatMap((phase) =>
    extremes.map(({ interval, extra }) =>
      changes(minutes.length, (now, wasOn) => {
        if ((now + phase) % interval !== 0) return wasOn
        const end = now - ((now + phase) % step)
        return isBreaching(alarm, extra, (i) => pointAt(end - i * period, now))
      }),
    ),
  )
}

const changes = (length: number, isOn: (now: number, wasOn: boolean) => boolean): Changes => {
  const found: Changes = { on: [], off: [] }
  let wasOn = false
  for (let now = 0; now < length; now++) {
    if (isOn(now, wasOn) === wasOn) continue
    wasOn = !wasOn
    found[wasOn ? 'on' : 'off'].push(now + 1)
  }
  return found
}

/** Whether enough of the newest windows with data breach. What is missing after all does not. */
const isBreaching = (alarm: Alarm, extra: number, pointOf: (window: number) => Point): boolean => {
  const { Threshold, EvaluationPeriods, DatapointsToAlarm = EvaluationPeriods } = alarm
  let found = 0
  let breaching = 0
  for (let i = 0; i < EvaluationPeriods + extra && found < EvaluationPeriods; i++) {
    const point = pointOf(i)
    if (point === undefined) continue
    found++
    if (point > Threshold) breaching++
  }
  return breaching >= DatapointsToAlarm
}

/** The period of an alarm in minutes, and what it sees `now` of the one that ends in a minute. */
const alarmPoints = (filters: Filter[], alarm: Alarm, minutes: Minute[], late: number) => {
  const stats = inputsOf(alarm)
  const period = (stats[0]?.MetricStat.Period ?? 0) / 60
  const inputs = stats.map(({ MetricStat }) => metricOf(filters, MetricStat, minutes))
  const expression = alarm.Metrics?.find(({ Expression }) => Expression)?.Expression ?? ALONE
  const ids = stats.map(({ Id }) => Id)
  const calculate = calculation(expression, ids)
  const pointOf = (end: number, age: number): Point => {
    const seen = inputs.map(({ isLog, between }) => {
      const newest = Math.min(end, end + age - DELAY - (isLog ? late : 0))
      return between(end + 1 - period, newest + 1)
    })
    return calculate(seen)
  }
  const known = minutes.map((): Point[] => [])
  const pointAt = (end: number, now: number): Point => {
    const age = Math.min(now - end, DELAY + late) // Then all of its data is there.
    const points = known[end] ?? []
    if (!(age in points)) points[age] = pointOf(end, age)
    return points[age]
  }
  return { period, pointAt }
}

/** The id of the metric of an alarm without metric math. */
const ALONE = 'alone'

const inputsOf = ({ Metrics, ...Metric }: Alarm): { Id: string; MetricStat: MetricStat }[] => {
  const Stat = `${Metric.Statistic ?? Metric.ExtendedStatistic}`
  const alone = { Id: ALONE, MetricStat: { Metric, Stat, Period: Metric.Period } }
  return (Metrics ?? [alone]).flatMap(({ Id, MetricStat }) =>
    MetricStat ? { Id, MetricStat } : [],
  )
}

/** Metric math, which has no value while an input without `FILL` has none. */
const calculation = (expression: string, ids: string[]): ((values: Point[]) => Point) => {
  const calculate = new Function('IF', 'FILL', ...ids, `return ${expression}`)
  const needed = ids.map((id) => !expression.includes(`FILL(${id},`))
  const choose = (condition: boolean, yes: number, no: number) => (condition ? yes : no)
  const fill = (value: Point, other: number) => value ?? other
  return (values) =>
    values.some((value, i) => needed[i] && value === undefined)
      ? undefined
      : calculate(choose, fill, ...values)
}

/** What a metric is from a minute until before another, if there is data. */
type Series = { isLog: boolean; between: (from: number, to: number) => Point }

const metricOf = (filters: Filter[], { Metric, Stat }: MetricStat, minutes: Minute[]): Series => {
  const name = `${Stat} ${Metric.Namespace} ${Metric.MetricName}`
  if (name === 'Sum AWS/ApiGateway Count') return { isLog: false, between: count(minutes) }
  if (name === 'p99 AWS/ApiGateway Latency') return { isLog: false, between: latency(minutes) }
  const logged = minutes.map((each) => (each.isLogged ? each : { ...each, requests: {} }))
  if (name === 'Sum AWS/Logs IncomingLogEvents') return { isLog: true, between: count(logged) }
  const filter = filters.find(
    ({ MetricTransformations: [made] }) =>
      name === `Sum ${made?.MetricNamespace} ${made?.MetricName}`,
  )
  if (!filter) throw new Error(`Nothing makes ${name}.`)
  const terms = filter.FilterPattern.slice(2, -2).split(' && ')
  const isCounted = (response: string) => terms.every((term) => isMet(term, response))
  return { isLog: true, between: count(logged, isCounted) }
}

/** A count has no data, instead of zero, while there is nothing to count. */
const count = (minutes: Minute[], isCounted = (_response: string) => true): Series['between'] => {
  const totals = [0]
  for (const { requests } of minutes) {
    const counts = Object.entries(requests).map(([response, n]) => (isCounted(response) ? n : 0))
    totals.push(counts.reduce((sum, n) => sum + n, totals.at(-1) ?? 0))
  }
  const total = (minute: number) => totals[Math.max(0, minute)] ?? 0
  return (from, to) => Math.max(0, total(to) - total(from)) || undefined
}

/** A 503 takes 3 s, the time budget of an operation. */
const latency = (minutes: Minute[]): Series['between'] => {
  const all = count(minutes)
  const slow = count(minutes, (response) => ['slow', '503'].includes(response))
  return (from, to) => {
    const requests = all(from, to)
    return requests && ((slow(from, to) ?? 0) >= requests / 100 ? 2900 : 50)
  }
}

/** Whether a response meets a term of a filter pattern, such as `($.status = "4*")`. */
const isMet = (term: string, response: string): boolean => {
  const [, operator, status = ''] = /status (!?=) "?([\d*]+)/.exec(term) ?? []
  return new RegExp(`^${status.replace('*', '..')}$`).test(response) === (operator === '=')
}
