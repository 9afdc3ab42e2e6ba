import { Duration, Stack } from 'aws-cdk-lib'
import type { RestApi } from 'aws-cdk-lib/aws-apigateway'
import { type IMetric, MathExpression, type Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch'
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda'
import { FilterPattern, type LogGroup, MetricFilter, type MetricFilterProps } from 'aws-cdk-lib/aws-logs'
import type { Construct } from 'constructs'
import type { Entry } from '../../shared/pipeline/entry.ts'

export type ApiMetrics = ReturnType<typeof newApiMetrics>

/** What callers of the API notice, in five minutes each, CDK's default. There is no data without requests. */
export const newApiMetrics = (scope: Construct, { restApi, accessLog }: { restApi: RestApi; accessLog: LogGroup }) => {
  const requests = restApi.metricCount({ statistic: Stats.SUM })
  const failed = restApi.metricServerError()
  const percentage = (part: IMetric, expression = '100 * part / whole') =>
    new MathExpression({ expression, usingMetrics: { part, whole: requests }, label: '%' })
  // The access log quotes all values.
  const refusals = extract(scope, '$.status = "429"', { logGroup: accessLog, metricName: 'ApiThrottled' })
  const dimensions = { Method: '$.method', Resource: '$.resource' }
  extract(scope, '$.status = "5*"', { logGroup: accessLog, metricName: 'ServerErrors', dimensions })
  const ofOperations =
    `SELECT SUM("ServerErrors") FROM SCHEMA("${Stack.of(scope).stackName}", "Method", "Resource") ` +
    'GROUP BY "Method", "Resource" ORDER BY SUM() DESC' // An alarm of several series needs an order.
  return {
    requests,
    clientErrors: restApi.metricClientError(),
    latency: (percent: number) => restApi.metricLatency({ statistic: Stats.p(percent) }),
    /** In percent, as the next two. */
    refused: percentage(refusals.metric({ statistic: Stats.SUM })),
    failed: percentage(failed),
    failedSeveralTimes: percentage(failed, 'IF(part >= 5, 100 * part / whole, 0)'),
    /** 1 if all requests failed: the metric is 1 or 0 for each of them. */
    failedShare: restApi.metricServerError({ statistic: Stats.AVERAGE }),
    /** Counts of failures: a series for each operation that has any. */
    failedByOperation: new MathExpression({ expression: ofOperations }),
  }
}

type Source = { operationId: string; entry: Entry; handler: LambdaFunction; logGroup: LogGroup }

/**
 * Extracts metrics from the log of a function: from its request log (`shared/pipeline/middleware/request-log.ts`), and from Lambda's
 * own lines. Returns the responses with status 500 of the newest version, which Lambda does not count as errors.
 */
export const extractMetrics = (scope: Construct, { operationId, entry, handler, logGroup }: Source): Metric => {
  // Lambda's lines name no function that could be a dimension, so the metric's name does.
  const metricValue = '$.record.metrics.initDurationMs'
  extract(scope, `${metricValue} > 0`, { logGroup, metricName: `${operationId}InitDuration`, metricValue })

  const dimensions = { Operation: '$.message.operation' }
  const isNew = '($.message.status = 201) && ($.message.replayed NOT EXISTS)'
  if (entry.success.status === 201) extract(scope, isNew, { logGroup, metricName: 'Created', dimensions })

  // Only calls of clients that may call it: a 401 has no client, and the release hook gets a 403.
  const isAllowed = '($.message.clientId = "*") && ($.message.status != 403)'
  if (entry.deprecated) extract(scope, isAllowed, { logGroup, metricName: 'DeprecatedCalls', dimensions })

  const ofVersion = { dimensions: { ...dimensions, Version: '$.message.version' } }
  const errors = extract(scope, '$.message.status = 500', { logGroup, metricName: 'InternalErrors', ...ofVersion })
  const dimensionsMap = { Operation: operationId, Version: handler.currentVersion.version }
  return errors.metric({ statistic: Stats.SUM, period: Duration.minutes(1), dimensionsMap })
}

type Extracted = Omit<MetricFilterProps, 'filterPattern' | 'metricNamespace'>

/** No dimension may grow with the number of clients, because CloudWatch charges for each value of a dimension. */
const extract = (scope: Construct, condition: string, props: Extracted): MetricFilter => {
  const filterPattern = FilterPattern.literal(`{ ${condition} }`)
  const metricNamespace = Stack.of(scope).stackName
  return new MetricFilter(scope, props.metricName, { ...props, filterPattern, metricNamespace })
}
