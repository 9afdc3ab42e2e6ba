import { Duration } from 'aws-cdk-lib'
import { Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch'
import { FilterPattern, type LogGroup, MetricFilter, type MetricFilterOptions } from 'aws-cdk-lib/aws-logs'
import { Construct } from 'constructs'
import type { Operation } from '../../shared/contract.ts'

const BY_OPERATION = { Operation: '$.message.operation' }

type Props = { operationId: string; entry: Operation; logGroup: LogGroup; namespace: string }

/**
 * The metrics that CloudWatch extracts from the log of a function: from the request log of its operation
 * (`shared/middleware/request-log.ts`), and from Lambda's own lines. No dimension grows with the number of clients,
 * because CloudWatch charges for each value of a dimension.
 */
export class RequestMetrics extends Construct {
  readonly #props: Props

  constructor(scope: Construct, id: string, props: Props) {
    super(scope, id)
    this.#props = props
    const { operationId, entry } = props
    const dimensions = BY_OPERATION
    const ofVersion = { ...BY_OPERATION, Version: '$.message.version' }
    this.#extract('InternalErrors', '$.message.status = 500', { dimensions: ofVersion })
    // Lambda's lines name no function that could be a dimension, so the metric's name does.
    const init = { metricName: `${operationId}InitDuration`, metricValue: '$.record.metrics.initDurationMs' }
    this.#extract('InitDuration', `${init.metricValue} > 0`, init)
    if (entry.success.status === 201)
      this.#extract('Created', '($.message.status = 201) && ($.message.replayed NOT EXISTS)', { dimensions })
    // Only calls of clients that may call it: a 401 has no client, and the release hook gets a 403.
    if (entry.deprecated)
      this.#extract('DeprecatedCalls', '($.message.clientId = "*") && ($.message.status != 403)', { dimensions })
  }

  /** Responses with status 500 of one version of the function. Lambda's own `Errors` does not count them. */
  internalErrors = (version: string): Metric => this.#metric('InternalErrors', { Version: version })

  created = (): Metric => this.#metric('Created')

  deprecatedCalls = (): Metric => this.#metric('DeprecatedCalls')

  /** The milliseconds that each cold start took before the request. */
  init(statistic: string): Metric {
    const { namespace, operationId } = this.#props
    return new Metric({ namespace, metricName: `${operationId}InitDuration`, statistic, period: Duration.minutes(5) })
  }

  /** Extracts a metric from the log lines that match a condition. By default, it counts them. */
  #extract(metricName: string, condition: string, options: Partial<MetricFilterOptions>): void {
    const { logGroup, namespace: metricNamespace } = this.#props
    const filterPattern = FilterPattern.literal(`{ ${condition} }`)
    new MetricFilter(this, metricName, { logGroup, filterPattern, metricNamespace, metricName, ...options })
  }

  #metric(metricName: string, dimensions: Record<string, string> = {}): Metric {
    const { namespace, operationId } = this.#props
    const dimensionsMap = { Operation: operationId, ...dimensions }
    return new Metric({ namespace, metricName, dimensionsMap, statistic: Stats.SUM, period: Duration.minutes(1) })
  }
}
