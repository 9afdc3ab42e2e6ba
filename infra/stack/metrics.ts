import { Duration, Stack } from 'aws-cdk-lib'
import type { RestApi } from 'aws-cdk-lib/aws-apigateway'
import { type IMetric, MathExpression, type Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch'
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
 * What callers notice, in five minutes each. The access log counts failures, because API Gateway
 * counts its own as 4xx if their status was changed.
 */
export const newApiMetrics = (
  scope: Construct,
  { restApi, accessLog }: { restApi: RestApi; accessLog: LogGroup },
) => {
  const count = (condition: string, metricName: string): Metric =>
    newFilter(scope, condition, { logGroup: accessLog, metricName }).metric(SUM)
  const requests = restApi.metricCount(SUM)
  // CDK's `metricIncomingLogEvents` asks for a metric that does not exist, `IncomingLogs`.
  const dimensionsMap = { LogGroupName: accessLog.logGroupName }
  const lines = accessLog.metric('IncomingLogEvents', { ...SUM, dimensionsMap })
  const broken = count('($.status = "5*") && ($.status != "503")', 'ApiBroken')
  const unavailable = count('$.status = "503"', 'ApiUnavailable')
  const refused = count('($.status = "4*") && ($.status != "429")', 'ApiRefused')
  const throttled = count('$.status = "429"', 'ApiThrottled')
  // For the graph that shows which operation returns which status.
  const dimensions = { Method: '$.method', Resource: '$.resource', Status: '$.status' }
  const byOperation = { logGroup: accessLog, metricName: 'ServerErrors', dimensions }
  newFilter(scope, '$.status = "5*"', byOperation)
  return {
    requests,
    broken,
    unavailable,
    refused,
    /** API Gateway's count, which needs no log. */
    serverErrors: restApi.metricServerError(),
    latency: (percent: number) => restApi.metricLatency({ statistic: Stats.p(percent) }),
    brokenPercentage: percentage(broken, requests, FIVE_OR_ONE_PERCENT),
    unavailablePercentage: percentage(unavailable, requests, FIVE_OR_ONE_PERCENT),
    refusedPercentage: percentage(refused, requests, TWENTY),
    throttledPercentage: percentage(throttled, requests, OF_FIFTY_REQUESTS),
    /** The requests, if the access log has no lines. */
    unlogged: new MathExpression({
      expression: 'IF(FILL(lines, 0) > 0, 0, requests)',
      usingMetrics: { lines, requests },
    }),
  }
}

// Conditions, so that a few requests are no outage.
const FIVE_OR_ONE_PERCENT =
  'FILL(part, 0) >= 5 || (FILL(part, 0) >= 2 && 100 * FILL(part, 0) > whole)'
const TWENTY = 'FILL(part, 0) >= 20'
const OF_FIFTY_REQUESTS = 'whole >= 50'

/** Zero unless `areEnough`. `FILL`, because a log has no data while there is nothing to count. */
const percentage = (part: IMetric, whole: IMetric, areEnough: string) =>
  new MathExpression({
    expression: `IF(${areEnough}, 100 * FILL(part, 0) / whole, 0)`,
    usingMetrics: { part, whole },
    label: '%',
  })

/**
 * The responses with status 500 of the newest version of a function in a minute, by its request log
 * (`shared/pipeline/middleware/request-log.ts`). Lambda does not count them as errors.
 */
export const newInternalErrors = (operation: OperationFunction): Metric => {
  const { operationId, handler, logGroup } = operation
  const dimensions = { Operation: '$.message.operation', Version: '$.message.version' }
  const errors = newFilter(operation, '$.message.status = 500', {
    logGroup,
    metricName: 'InternalErrors',
    dimensions,
  })
  const dimensionsMap = { Operation: operationId, Version: handler.currentVersion.version }
  return errors.metric({ ...SUM, period: Duration.minutes(1), dimensionsMap })
}

type FilterProps = Omit<MetricFilterProps, 'filterPattern' | 'metricNamespace'>

/** No dimension may grow with the number of clients: CloudWatch charges for each of its values. */
const newFilter = (scope: Construct, condition: string, props: FilterProps): MetricFilter => {
  const filterPattern = FilterPattern.literal(`{ ${condition} }`)
  const metricNamespace = Stack.of(scope).stackName
  return new MetricFilter(scope, props.metricName, { ...props, filterPattern, metricNamespace })
}
