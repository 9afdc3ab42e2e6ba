import { Duration, Stack } from 'aws-cdk-lib'
import type { RestApi } from 'aws-cdk-lib/aws-apigateway'
import { type IMetric, MathExpression, type Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch'
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda'
import {
  FilterPattern,
  type LogGroup,
  MetricFilter,
  type MetricFilterProps,
} from 'aws-cdk-lib/aws-logs'
import type { Construct } from 'constructs'
import type { Entry } from '../../shared/pipeline/entry.ts'

export type ApiMetrics = ReturnType<typeof newApiMetrics>

/**
 * What callers of the API notice, in five minutes each. Failures are counted in the access log,
 * because API Gateway counts its own responses as 4xx if their status was changed.
 */
export const newApiMetrics = (
  scope: Construct,
  { restApi, accessLog }: { restApi: RestApi; accessLog: LogGroup },
) => {
  const count = (condition: string, metricName: string): Metric =>
    extract(scope, condition, { logGroup: accessLog, metricName }).metric({ statistic: Stats.SUM })
  const requests = restApi.metricCount({ statistic: Stats.SUM })
  const throttled = count('$.status = "429"', 'ApiThrottled')
  const refused = count('($.status = "4*") && ($.status != "429")', 'ApiRefused')
  // For the graph that shows which operation returns which status.
  const dimensions = { Method: '$.method', Resource: '$.resource', Status: '$.status' }
  extract(scope, '$.status = "5*"', { logGroup: accessLog, metricName: 'ServerErrors', dimensions })
  return {
    requests,
    refused,
    /** A database that is slow, busy or unavailable. */
    unavailable: count('$.status = "503"', 'ApiUnavailable'),
    /** Bugs, crashes and missing resources. */
    broken: count('($.status = "5*") && ($.status != "503")', 'ApiBroken'),
    latency: (percent: number) => restApi.metricLatency({ statistic: Stats.p(percent) }),
    throttledPercentage: percentage(throttled, requests),
    /** Zero if there were fewer than 50 requests. */
    refusedPercentage: percentage(refused, requests, 50),
  }
}

// A count of the log has no data, instead of a zero, while there is nothing to count.
const percentage = (part: IMetric, whole: IMetric, least = 1) =>
  new MathExpression({
    expression: `IF(whole >= ${least}, 100 * FILL(part, 0) / whole, 0)`,
    usingMetrics: { part, whole },
    label: '%',
  })

type Source = { operationId: string; entry: Entry; handler: LambdaFunction; logGroup: LogGroup }

/**
 * Extracts metrics from the request log of a function
 * (`shared/pipeline/middleware/request-log.ts`).
 */
export const extractMetrics = (scope: Construct, { entry, logGroup }: Source): void => {
  const dimensions = { Operation: '$.message.operation' }
  const isNew = '($.message.status = 201) && ($.message.replayed NOT EXISTS)'
  if (entry.success.status === 201)
    extract(scope, isNew, { logGroup, metricName: 'Created', dimensions })

  // Only calls of clients that may call it: a 401 has no client, and the release hook gets a 403.
  const isAllowed = '($.message.clientId = "*") && ($.message.status != 403)'
  if (entry.deprecated)
    extract(scope, isAllowed, { logGroup, metricName: 'DeprecatedCalls', dimensions })
}

/**
 * The responses with status 500 of the newest version of a function in a minute. Lambda does not
 * count them as errors.
 */
export const newInternalErrors = (
  scope: Construct,
  { operationId, handler, logGroup }: Source,
): Metric => {
  const dimensions = { Operation: '$.message.operation', Version: '$.message.version' }
  const errors = extract(scope, '$.message.status = 500', {
    logGroup,
    metricName: 'InternalErrors',
    dimensions,
  })
  const dimensionsMap = { Operation: operationId, Version: handler.currentVersion.version }
  return errors.metric({ statistic: Stats.SUM, period: Duration.minutes(1), dimensionsMap })
}

type Extracted = Omit<MetricFilterProps, 'filterPattern' | 'metricNamespace'>

/**
 * No dimension may grow with the number of clients, because CloudWatch charges for each value of a
 * dimension.
 */
const extract = (scope: Construct, condition: string, props: Extracted): MetricFilter => {
  const filterPattern = FilterPattern.literal(`{ ${condition} }`)
  const metricNamespace = Stack.of(scope).stackName
  return new MetricFilter(scope, props.metricName, { ...props, filterPattern, metricNamespace })
}
