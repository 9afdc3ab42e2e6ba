import { Duration, Stack } from 'aws-cdk-lib'
import { type Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch'
import { FilterPattern, type LogGroup, MetricFilter, type MetricFilterOptions } from 'aws-cdk-lib/aws-logs'
import { Construct } from 'constructs'
import type { Operation } from '../../shared/entry.ts'

type Props = { operationId: string; entry: Operation; version: string; logGroup: LogGroup }

/**
 * The metrics that CloudWatch extracts from the log of a function: from the request log of its operation
 * (`shared/middleware/request-log.ts`), and from Lambda's own lines. No dimension grows with the number of clients,
 * because CloudWatch charges for each value of a dimension.
 */
export class RequestMetrics extends Construct {
  /** Responses with status 500 of the newest version. Lambda's own `Errors` does not count them. */
  readonly internalErrors: Metric
  /** The milliseconds that each cold start took before the request. */
  readonly init: Metric
  /** Only for an operation that creates resources. */
  readonly created?: Metric
  /** Only for a deprecated operation. */
  readonly deprecatedCalls?: Metric

  constructor(scope: Construct, id: string, { operationId, entry, version, logGroup }: Props) {
    super(scope, id)
    const metricNamespace = Stack.of(this).stackName
    const extract = (metricName: string, condition: string, options: Partial<MetricFilterOptions>): MetricFilter => {
      const filterPattern = FilterPattern.literal(`{ ${condition} }`)
      return new MetricFilter(this, metricName, { logGroup, filterPattern, metricNamespace, metricName, ...options })
    }
    const dimensions = { Operation: '$.message.operation' }
    const dimensionsMap = { Operation: operationId }
    const count = { statistic: Stats.SUM, period: Duration.minutes(1), dimensionsMap }

    const ofVersion = { dimensions: { ...dimensions, Version: '$.message.version' } }
    const errors = extract('InternalErrors', '$.message.status = 500', ofVersion)
    this.internalErrors = errors.metric({ ...count, dimensionsMap: { ...dimensionsMap, Version: version } })

    // Lambda's lines name no function that could be a dimension, so the metric's name does.
    const milliseconds = '$.record.metrics.initDurationMs'
    const named = { metricName: `${operationId}InitDuration`, metricValue: milliseconds }
    this.init = extract('InitDuration', `${milliseconds} > 0`, named).metric()

    const isNew = '($.message.status = 201) && ($.message.replayed NOT EXISTS)'
    if (entry.success.status === 201) this.created = extract('Created', isNew, { dimensions }).metric(count)

    // Only calls of clients that may call it: a 401 has no client, and the release hook gets a 403.
    const isAllowed = '($.message.clientId = "*") && ($.message.status != 403)'
    if (entry.deprecated) this.deprecatedCalls = extract('DeprecatedCalls', isAllowed, { dimensions }).metric(count)
  }
}
