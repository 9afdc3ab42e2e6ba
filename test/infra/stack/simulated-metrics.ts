import type { Template } from 'aws-cdk-lib/assertions'
import { only, propertiesOf } from './template.ts'

/** A data point, or none. */
type Value = number | undefined

/** Requests of one kind. */
export type Requests = { count: number; status: number; milliseconds: number }

type Metric = { Namespace: string; MetricName: string; Dimensions?: { Name: string }[] }
type MetricStat = { Metric: Metric; Period: number; Stat: string }
type Query = { Id: string; Expression?: string; MetricStat?: MetricStat; ReturnData?: boolean }

/** An alarm in a template, on one metric or on several queries. */
export type AlarmProperties = Metric & {
  Metrics?: Query[]
  Period: number
  Statistic?: string
  ExtendedStatistic?: string
  ComparisonOperator: string
  Threshold: number
  EvaluationPeriods: number
  DatapointsToAlarm?: number
  TreatMissingData: string
}

/** The data point of a period. */
type Measure = (requests: Requests[]) => Value

/** What an alarm watches, and its period in minutes. */
export const watchedBy = (
  template: Template,
  { Statistic: Stat = '', ExtendedStatistic = Stat, Period, Metrics, ...alarm }: AlarmProperties,
): { period: number; measure: Measure } => {
  const MetricStat = { Metric: alarm, Period, Stat: ExtendedStatistic }
  const queries: Query[] = Metrics ?? [{ Id: 'only', MetricStat }]
  const inputs = queries.flatMap(({ Id, MetricStat }) =>
    MetricStat ? [{ Id, ...MetricStat, measure: statisticOf(template, MetricStat) }] : [],
  )
  const [seconds = Number.NaN, ...others] = new Set(inputs.map(({ Period }) => Period))
  if (others.length > 0) throw new Error('An alarm with several periods is not simulated.')
  const { Id, Expression = Id } = queries.find(({ ReturnData }) => ReturnData !== false) ?? {}
  const measure: Measure = (requests) =>
    evaluate(`${Expression}`, new Map(inputs.map((each) => [each.Id, each.measure(requests)])))
  return { period: seconds / 60, measure }
}

/** A metric, or the share of `part` in `whole`: the only metric math that alarms use. */
const evaluate = (expression: string, metrics: ReadonlyMap<string, Value>): Value => {
  if (metrics.has(expression)) return metrics.get(expression)
  const [, least] = PERCENTAGE.exec(expression) ?? []
  if (!least) throw new Error(`The expression ${expression} is not simulated.`)
  const whole = metrics.get('whole')
  if (whole === undefined) return undefined
  return whole >= Number(least) ? (100 * (metrics.get('part') ?? 0)) / whole : 0
}

const PERCENTAGE = /^IF\(whole >= (\d+), 100 \* FILL\(part, 0\) \/ whole, 0\)$/

const statisticOf = (template: Template, { Metric, Stat }: MetricStat): Measure => {
  const { Namespace, MetricName, Dimensions = [] } = Metric
  const metric = `${Stat} of ${Namespace} ${MetricName} by ${Dimensions.map(({ Name }) => Name)}`
  const [, percent] = /^p(\d+) of AWS\/ApiGateway Latency by ApiName$/.exec(metric) ?? []
  if (percent) return (requests) => percentile(requests, Number(percent))
  // A count is missing, instead of zero, while there is nothing to count.
  if (metric === 'Sum of AWS/ApiGateway Count by ApiName')
    return (requests) => sum(requests) || undefined
  if (Stat !== 'Sum' || Dimensions.length > 0) throw new Error(`${metric} is not simulated.`)
  const isCounted = filterOf(template, Metric)
  return (requests) => sum(requests.filter(isCounted)) || undefined
}

const sum = (requests: Requests[]): number =>
  requests.reduce((total, { count }) => total + count, 0)

/**
 * "95 percent of the data within the period is lower than this value" (CloudWatch User Guide, of
 * p95).
 */
const percentile = (requests: Requests[], percent: number): Value => {
  let lower = Math.floor((sum(requests) * percent) / 100)
  for (const { count, milliseconds } of requests.toSorted(
    (a, b) => a.milliseconds - b.milliseconds,
  )) {
    if (lower < count) return milliseconds
    lower -= count
  }
  return undefined
}

/** The filter of the access log that makes a metric without dimensions. */
const filterOf = (template: Template, { Namespace, MetricName }: Metric) => {
  const { DestinationArn, Format } = only(template, 'AWS::ApiGateway::Stage').AccessLogSetting
  const [filter, ...others] = propertiesOf(template, 'AWS::Logs::MetricFilter').filter(
    ({ LogGroupName, MetricTransformations: [made] }) =>
      JSON.stringify(DestinationArn).includes(`"${LogGroupName.Ref}"`) &&
      made.MetricNamespace === Namespace &&
      made.MetricName === MetricName &&
      made.MetricValue === '1' &&
      !made.Dimensions,
  )
  if (!filter || others.length > 0 || JSON.parse(Format).status !== '$context.status')
    throw new Error(`The metric ${MetricName} is not simulated.`)
  return conditionOf(filter.FilterPattern)
}

/** The condition of a filter pattern such as `{ ($.status = "1*") && ($.status != "2") }`. */
const conditionOf = (pattern: string) => {
  const terms = pattern.replace(/^\{ (.*) \}$/, '$1').split(' && ')
  const conditions = terms.map((term) => {
    const [, operator, text] = /^\(?\$\.status (=|!=) "([\d*]+)"\)?$/.exec(term) ?? []
    if (!text) throw new Error(`The filter pattern ${pattern} is not simulated.`)
    const wanted = new RegExp(`^${text.replaceAll('*', '.*')}$`)
    return (status: number) => wanted.test(`${status}`) === (operator === '=')
  })
  return ({ status }: Requests): boolean => conditions.every((isMet) => isMet(status))
}
