import type { Template } from 'aws-cdk-lib/assertions'
import { propertiesOf, resourcesOf } from './template.ts'

/** How many requests get which response: a status, or `slow`, a 200 after 2.9 s. */
export type Requests = Record<string, number>

/** Minutes until CloudWatch has the data of a minute. */
const DELAY = 3

/**
 * The minutes in which each alarm of a template mails that it begins or ends. There is a list for
 * each way to evaluate it: AWS does not say when a period begins, nor how far CloudWatch looks back
 * for missing data.
 */
export const simulate = (template: Template, minutes: Requests[]): Record<string, number[][]> => {
  const simulated: Record<string, number[][]> = {}
  for (const [id, { Properties: alarm }] of resourcesOf(template, 'AWS::CloudWatch::Alarm')) {
    if (!alarm.AlarmActions) continue
    const period = (alarm.Period ?? alarm.Metrics[1].MetricStat.Period) / 60
    const measure = measureOf(template, alarm)
    const points = minutes.map((_, end) =>
      measure(minutes.slice(Math.max(0, end + 1 - period), end + 1)),
    )
    const fixed = Array.from({ length: period }, (_, first) => ({ first, step: period }))
    const name = id.slice('MonitoringAlarms'.length, -8) // CDK appends a hash.
    simulated[name] = [{ first: 0, step: 1 }, ...fixed].flatMap((schedule) =>
      [0, 2].map((extra) => mailsOf({ ...alarm, ...schedule, period, extra }, points)),
    )
  }
  return simulated
}

/** A data point, if there is data. */
type Point = number | undefined
type Evaluated = { Threshold: number; EvaluationPeriods: number; DatapointsToAlarm?: number }
type Way = Evaluated & { period: number; first: number; step: number; extra: number }

const mailsOf = (way: Way, points: Point[]): number[] => {
  const { Threshold, EvaluationPeriods, period, first, step, extra } = way
  const { DatapointsToAlarm = EvaluationPeriods } = way
  const mails: number[] = []
  let wasOn = false
  for (let end = first; end < points.length; end += step) {
    const ends = Array.from({ length: EvaluationPeriods + extra }, (_, i) => end - i * period)
    const found = ends.map((each) => points[each]).filter((point) => point !== undefined)
    // What is missing after all does not breach.
    const breaching = found.slice(0, EvaluationPeriods).filter((point) => point > Threshold)
    const isOn = breaching.length >= DatapointsToAlarm
    if (isOn !== wasOn) mails.push(end + 1 + DELAY)
    wasOn = isOn
  }
  return mails
}

type Metric = { Namespace: string; MetricName: string }
type MetricStat = { Metric: Metric; Stat: string }
type Watching = Metric & {
  Metrics?: { Expression?: string; MetricStat?: MetricStat }[]
  Statistic: string
  ExtendedStatistic?: string
}
type Measure = (requests: Requests[]) => Point

/** What an alarm watches: a metric, or the share of `part` in `whole`. */
const measureOf = (template: Template, { Metrics, ...Metric }: Watching): Measure => {
  const { Statistic, ExtendedStatistic: Stat = Statistic } = Metric
  if (!Metrics) return metricOf(template, { Metric, Stat })
  const [, least] = SHARE.exec(`${Metrics[0]?.Expression}`) ?? []
  const [part, whole] = Metrics.flatMap(({ MetricStat }) =>
    MetricStat ? metricOf(template, MetricStat) : [],
  )
  return (requests) => {
    const all = whole?.(requests)
    return all && (all >= Number(least) ? (100 * (part?.(requests) ?? 0)) / all : 0)
  }
}

const SHARE = /^IF\(whole >= (\d+), 100 \* FILL\(part, 0\) \/ whole, 0\)$/

const metricOf = (template: Template, { Metric, Stat }: MetricStat): Measure => {
  const name = `${Stat} ${Metric.Namespace} ${Metric.MetricName}`
  if (name === 'Sum AWS/ApiGateway Count') return (requests) => count(requests)
  if (name === 'p99 AWS/ApiGateway Latency') return latency
  const { FilterPattern } = propertiesOf(template, 'AWS::Logs::MetricFilter').find(
    ({ MetricTransformations: [made] }) =>
      name === `Sum ${made.MetricNamespace} ${made.MetricName}` && !made.Dimensions,
  )
  const terms: string[] = FilterPattern.slice(2, -2).split(' && ')
  return (requests) => count(requests, (response) => terms.every((term) => isMet(term, response)))
}

/** A count has no data, instead of zero, while there is nothing to count. */
const count = (requests: Requests[], isCounted = (_response: string) => true): Point => {
  const counts = requests.flatMap((each) => Object.entries(each))
  return counts.reduce((sum, [response, n]) => sum + (isCounted(response) ? n : 0), 0) || undefined
}

const latency: Measure = (requests) => {
  const all = count(requests)
  const slow = count(requests, (response) => response === 'slow') ?? 0
  return all && (slow >= all / 100 ? 2900 : 50)
}

/** Whether a response meets a term of a filter pattern, such as `($.status = "4*")`. */
const isMet = (term: string, response: string): boolean => {
  const [, operator, status = ''] = /\$\.status (!?=) "([\d*]+)"/.exec(term) ?? []
  return new RegExp(`^${status.replace('*', '..')}$`).test(response) === (operator === '=')
}
