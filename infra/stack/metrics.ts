import { Stack } from 'aws-cdk-lib'
import { type Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch'
import { FilterPattern, MetricFilter, type MetricFilterProps } from 'aws-cdk-lib/aws-logs'
import type { Construct } from 'constructs'
import type { Api } from './api.ts'

const SUM = { statistic: Stats.SUM }

export type ApiMetrics = ReturnType<typeof newApiMetrics>

/**
 * What callers notice, in windows of five minutes unless an alarm sets others. The access log
 * counts failures, because API Gateway counts its own as 4xx if their status was changed.
 */
export const newApiMetrics = (scope: Construct, { restApi, accessLog }: Api) => {
  const count = (condition: string, metricName: string): Metric =>
    newFilter(scope, condition, { logGroup: accessLog, metricName }).metric(SUM)
  // For the graph that shows which operation returns which status.
  newFilter(scope, '$.status = "5*"', {
    logGroup: accessLog,
    metricName: 'ServerErrors',
    dimensions: { Method: '$.method', Resource: '$.resource', Status: '$.status' },
  })
  return {
    requests: restApi.metricCount(SUM),
    /** API Gateway's count of 5xx, which needs no log. */
    errors: restApi.metricServerError(SUM),
    /** Requests that took more than a second. */
    slow: restApi.metricLatency({ statistic: 'TC(1000:)' }),
    broken: count('($.status = "5*") && ($.status != "503")', 'ApiBroken'),
    /** AWS itself returns a 502 or 504 now and then; a 500 is always ours. */
    bugs: count('$.status = "500"', 'ApiBugs'),
    unavailable: count('$.status = "503"', 'ApiUnavailable'),
    throttled: count('$.status = "429"', 'ApiThrottled'),
    // A 404 of a resource and a 409 are answers, and scanners get the 404 of a path.
    denied: count('($.status = "401") || ($.status = "403")', 'ApiDenied'),
    invalid: count('$.status = "400"', 'ApiInvalid'),
    // CDK's `metricIncomingLogEvents` asks for a metric that does not exist, `IncomingLogs`.
    lines: accessLog.metric('IncomingLogEvents', {
      ...SUM,
      dimensionsMap: { LogGroupName: accessLog.logGroupName },
    }),
  }
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
