import { Duration, Stack } from 'aws-cdk-lib'
import type { RestApi } from 'aws-cdk-lib/aws-apigateway'
import { type IMetric, MathExpression, Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch'
import {
  FilterPattern,
  type LogGroup,
  MetricFilter,
  type MetricFilterProps,
} from 'aws-cdk-lib/aws-logs'
import type { Construct } from 'constructs'
import type { OperationFunction } from './operation-function.ts'

const SUM = { statistic: Stats.SUM }

export type ApiMetrics = ReturnType<typeof newApiMetrics>

/**
 * What callers notice, in windows of five minutes unless a comment says otherwise. The access log
 * counts failures, because API Gateway counts its own as 4xx if their status was changed.
 */
export const newApiMetrics = (
  scope: Construct,
  { restApi, accessLog }: { restApi: RestApi; accessLog: LogGroup },
  operations: OperationFunction[],
) => {
  const count = (condition: string, metricName: string): Metric =>
    newFilter(scope, condition, { logGroup: accessLog, metricName }).metric(SUM)
  const requests = restApi.metricCount(SUM)
  const errors = restApi.metricServerError()
  const broken = count('($.status = "5*") && ($.status != "503")', 'ApiBroken')
  const unavailable = count('$.status = "503"', 'ApiUnavailable')
  const refused = count(REFUSED, 'ApiRefused')
  const throttled = count('$.status = "429"', 'ApiThrottled')
  // For the graph that shows which operation returns which status.
  newFilter(scope, '$.status = "5*"', {
    logGroup: accessLog,
    metricName: 'ServerErrors',
    dimensions: { Method: '$.method', Resource: '$.resource', Status: '$.status' },
  })
  return {
    requests,
    broken,
    /** AWS itself returns a 502 or 504 now and then; a 500 is always ours. */
    bugs: count('$.status = "500"', 'ApiBugs'),
    brokenPercentage: percentage(broken, requests, SEVERAL),
    unavailable,
    unavailablePercentage: percentage(unavailable, requests, SEVERAL),
    refused,
    refusedPercentage: percentage(refused, requests, 'FILL(part, 0) >= 4'),
    /** API Gateway's count, which needs no log. */
    errors,
    /** In one minute. By the log or by API Gateway, whichever has more: each may miss some. */
    failedPercentage: failedPercentage(requests, { errors, broken, unavailable }),
    latency: (percent: number) => restApi.metricLatency({ statistic: Stats.p(percent) }),
    throttledPercentage: percentage(throttled, requests, 'whole >= 50'),
    unlogged: unlogged(requests, accessLog),
    /** In one hour. */
    damaged: newDamageCount(scope, operations),
  }
}

/** The percentage, or zero if `condition` does not hold. Its variables are `part` and `whole`. */
const percentage = (part: IMetric, whole: IMetric, condition: string): IMetric =>
  new MathExpression({
    // `FILL`, because a log has no data while there is nothing to count.
    expression: `IF(${condition}, 100 * FILL(part, 0) / whole, 0)`,
    usingMetrics: { part, whole },
    label: '%',
  })

/** At least 5, or at least 2 and more than 1 %: fewer are no outage. */
const SEVERAL = 'FILL(part, 0) >= 5 || (FILL(part, 0) >= 2 && 100 * FILL(part, 0) > whole)'

/** Without scans for paths that do not exist. */
const REFUSED = '($.status = "4*") && ($.status != "429") && ($.resource != "/{proxy+}")'

const failedPercentage = (requests: IMetric, counts: Record<string, IMetric>): IMetric => {
  const failed = new MathExpression({
    expression:
      'IF(FILL(errors, 0) > FILL(broken, 0) + FILL(unavailable, 0), ' +
      'FILL(errors, 0), FILL(broken, 0) + FILL(unavailable, 0))',
    usingMetrics: counts,
  })
  return new MathExpression({
    expression: 'IF(failed >= 5, 100 * failed / requests, 0)',
    usingMetrics: { failed, requests },
    period: Duration.minutes(1),
    label: '%',
  })
}

/** The number of requests if the access log has no lines, otherwise zero. */
const unlogged = (requests: IMetric, accessLog: LogGroup): IMetric => {
  // CDK's `metricIncomingLogEvents` asks for a metric that does not exist, `IncomingLogs`.
  const dimensionsMap = { LogGroupName: accessLog.logGroupName }
  const lines = accessLog.metric('IncomingLogEvents', { ...SUM, dimensionsMap })
  return new MathExpression({
    expression: 'IF(FILL(lines, 0) > 0, 0, requests)',
    usingMetrics: { lines, requests },
  })
}

/** Counts what `shared/data/damaged-item.ts` logs. */
const newDamageCount = (scope: Construct, operations: OperationFunction[]): IMetric => {
  const metricName = 'ItemsDamaged'
  for (const operation of operations)
    newFilter(operation, '$.message.damagedItem = "*"', {
      logGroup: operation.logGroup,
      metricName,
    })
  const namespace = Stack.of(scope).stackName
  return new Metric({ namespace, metricName, ...SUM, period: Duration.hours(1) })
}

type FilterProps = Omit<MetricFilterProps, 'filterPattern' | 'metricNamespace'>

/**
 * Creates a metric of the lines of a log that meet a condition. No dimension may grow with the
 * number of clients: CloudWatch charges for each of its values.
 */
export const newFilter = (
  scope: Construct,
  condition: string,
  props: FilterProps,
): MetricFilter => {
  const filterPattern = FilterPattern.literal(`{ ${condition} }`)
  const metricNamespace = Stack.of(scope).stackName
  return new MetricFilter(scope, props.metricName, { ...props, filterPattern, metricNamespace })
}
