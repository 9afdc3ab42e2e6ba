import type { Template } from 'aws-cdk-lib/assertions'
import { evaluateMath, type Value } from './metric-math.ts'
import { only, propertiesOf } from './template.ts'

/** Requests of one kind. `resource` is the path template. */
export type Requests = {
  count: number
  method: string
  resource: string
  status: number
  milliseconds: number
}

type Metric = { Namespace: string; MetricName: string; Dimensions?: { Name: string }[] }
type MetricStat = { Metric: Metric; Period: number; Stat: string }
type Query = {
  Id?: string
  Expression?: string
  Period?: number
  MetricStat?: MetricStat
  ReturnData?: boolean
}

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

/**
 * The data point of each series in a period. The name is that of an operation, or empty if there is
 * one series for all.
 */
type SeriesOf = (requests: Requests[]) => Map<string, Value>
type ValueOf = (requests: Requests[]) => Value

/** What an alarm watches, and its period in minutes. */
export const watchedBy = (
  template: Template,
  alarm: AlarmProperties,
): { period: number; seriesOf: SeriesOf } => {
  const {
    Metrics,
    Namespace,
    MetricName,
    Dimensions,
    Period,
    Statistic,
    ExtendedStatistic = '',
  } = alarm
  const Metric = { Namespace, MetricName, ...(Dimensions && { Dimensions }) }
  const queries = Metrics ?? [
    { MetricStat: { Metric, Period, Stat: Statistic ?? ExtendedStatistic } },
  ]
  const periods = new Set(
    queries.flatMap((query) => query.Period ?? query.MetricStat?.Period ?? []),
  )
  const [seconds = Number.NaN, ...others] = periods
  if (others.length > 0)
    throw new Error(`An alarm with the periods ${[...periods]} is not simulated.`)
  return { period: seconds / 60, seriesOf: seriesOfQueries(template, queries) }
}

const seriesOfQueries = (template: Template, queries: Query[]): SeriesOf => {
  const { Expression, MetricStat } = queries.find(({ ReturnData }) => ReturnData !== false) ?? {}
  if (Expression?.startsWith('SELECT ')) return groupsOf(template, Expression)
  const inputs = queries.flatMap(({ Id = '', MetricStat }) =>
    MetricStat ? [{ name: Id, measure: statisticOf(template, MetricStat) }] : [],
  )
  return (requests) => {
    const values = new Map(inputs.map(({ name, measure }) => [name, measure(requests)]))
    return new Map([['', MetricStat ? values.get('') : evaluateMath(`${Expression}`, values)]])
  }
}

const statisticOf = (template: Template, { Metric, Stat }: MetricStat): ValueOf => {
  const { Namespace, MetricName, Dimensions = [] } = Metric
  const names = Dimensions.map(({ Name }) => Name)
  const metric = `${Stat} of ${Namespace} ${MetricName} by ${names}`
  const [, percent] = /^p(\d+) of AWS\/ApiGateway Latency by ApiName$/.exec(metric) ?? []
  if (percent) return (requests) => percentile(requests, Number(percent))
  // A count is missing, instead of zero, while there is nothing to count.
  if (metric === 'Sum of AWS/ApiGateway Count by ApiName')
    return (requests) => sum(requests) || undefined
  if (Stat !== 'Sum' || names.length > 0) throw new Error(`${metric} is not simulated.`)
  const { matches } = filterOf(template, Metric, [])
  return (requests) => sum(requests.filter(matches)) || undefined
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

const QUERY =
  /^SELECT SUM\("(\w+)"\) FROM SCHEMA\("(\w+)", ([\w", ]+)\)(?: WHERE "(\w+)" != '(\w+)')? GROUP BY ([\w", ]+) ORDER BY SUM\(\) DESC$/

/** A query of CloudWatch Metrics Insights. */
const groupsOf = (template: Template, query: string): SeriesOf => {
  const [, MetricName = '', Namespace = '', schema = '', excluded, value, groupBy = ''] =
    QUERY.exec(query) ?? []
  if (!MetricName) throw new Error(`The query ${query} is not simulated.`)
  const labels = (list: string) => [...list.matchAll(/\w+/g)].map(([label]) => label)
  const { matches, labelOf } = filterOf(template, { Namespace, MetricName }, labels(schema))
  return (requests) => {
    const counts = new Map<string, number>()
    for (const each of requests.filter(matches)) {
      if (excluded && labelOf(each, excluded) === value) continue
      const operation = labels(groupBy).map((label) => labelOf(each, label))
      const key = operation.join(' ')
      counts.set(key, (counts.get(key) ?? 0) + each.count)
    }
    return counts
  }
}

/** The filter of the access log that makes a metric with exactly these dimensions. */
const filterOf = (template: Template, { Namespace, MetricName }: Metric, dimensions: string[]) => {
  const { DestinationArn, Format } = only(template, 'AWS::ApiGateway::Stage').AccessLogSetting
  const filters = propertiesOf(template, 'AWS::Logs::MetricFilter').filter(
    ({ LogGroupName, MetricTransformations }) => {
      const [made] = MetricTransformations
      const keys: string[] = (made.Dimensions ?? []).map(({ Key }: { Key: string }) => Key)
      const isOfAccessLog = JSON.stringify(DestinationArn).includes(`"${LogGroupName.Ref}"`)
      const isMade =
        made.MetricNamespace === Namespace &&
        made.MetricName === MetricName &&
        made.MetricValue === '1'
      return isOfAccessLog && isMade && `${keys.toSorted()}` === `${dimensions.toSorted()}`
    },
  )
  const [filter, ...others] = filters
  if (!filter || others.length > 0)
    throw new Error(
      `${filters.length} filters of the access log make ${MetricName} by ${dimensions}.`,
    )
  const selectors: { Key: string; Value: string }[] =
    filter.MetricTransformations[0].Dimensions ?? []
  const format: Record<string, string> = JSON.parse(Format)
  const field = (requests: Requests, selector = '') =>
    logged(requests, format[selector.replace('$.', '')])
  const conditions = conditionsOf(filter.FilterPattern)
  return {
    matches: (requests: Requests): boolean =>
      conditions.every((each) => each.accepts(field(requests, each.selector))),
    /** The value of a dimension. */
    labelOf: (requests: Requests, label: string): string =>
      field(requests, selectors.find(({ Key }) => Key === label)?.Value),
  }
}

/** What API Gateway logs for a variable of the log format. */
const logged = ({ status, method, resource }: Requests, variable: string | undefined): string => {
  if (variable === '$context.status') return `${status}`
  if (variable === '$context.httpMethod') return method
  if (variable === '$context.resourcePath') return resource
  throw new Error(`The variable ${variable} of the log format is not simulated.`)
}

/** The conditions of a filter pattern such as `{ ($.a = "1*") && ($.b != "2") }`. */
const conditionsOf = (pattern: string) => {
  const terms = pattern.replace(/^\{ (.*) \}$/, '$1').split(' && ')
  return terms.map((term) => {
    const [, selector = '', operator, text = ''] =
      /^\(?(\$\.\w+) (=|!=) "([\w*]+)"\)?$/.exec(term) ?? []
    if (!selector) throw new Error(`The filter pattern ${pattern} is not simulated.`)
    const wanted = new RegExp(`^${text.replaceAll('*', '.*')}$`)
    return { selector, accepts: (value: string) => wanted.test(value) === (operator === '=') }
  })
}
