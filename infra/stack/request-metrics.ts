import { Duration } from 'aws-cdk-lib'
import { Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch'
import { FilterPattern, type LogGroup, MetricFilter } from 'aws-cdk-lib/aws-logs'
import { Construct } from 'constructs'
import type { Operation } from '../../shared/contract.ts'

type Props = { operationId: string; entry: Operation; logGroup: LogGroup; namespace: string }

/** What a metric counts: log lines that match a condition, or the values of one of their fields. */
type Filter = { condition: string; metricValue?: string; metricName?: string; dimensions?: Record<string, string> }

const BY_OPERATION = { Operation: '$.message.operation' }

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
    const version = { ...BY_OPERATION, Version: '$.message.version' }
    this.#addFilter('InternalErrors', { condition: '$.message.status = 500', dimensions: version })
    const metricValue = '$.record.metrics.initDurationMs'
    // Lambda's lines name no function that could be a dimension, so the metric's name does.
    const metricName = `${operationId}InitDuration`
    this.#addFilter('InitDuration', { condition: `${metricValue} > 0`, metricValue, metricName })
    if (entry.success.status === 201) {
      const condition = '($.message.status = 201) && ($.message.replayed NOT EXISTS)'
      this.#addFilter('Created', { condition, dimensions: BY_OPERATION })
    }
    if (entry.deprecated) {
      // Only calls of clients that may call it: a 401 has no client, and the release hook gets a 403.
      const condition = '($.message.clientId = "*") && ($.message.status != 403)'
      this.#addFilter('DeprecatedCalls', { condition, dimensions: BY_OPERATION })
    }
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

  #addFilter(id: string, { condition, ...metric }: Filter): void {
    const { logGroup, namespace: metricNamespace } = this.#props
    const filterPattern = FilterPattern.literal(`{ ${condition} }`)
    new MetricFilter(this, id, { logGroup, filterPattern, metricNamespace, metricName: id, ...metric })
  }

  #metric(metricName: string, dimensions: Record<string, string> = {}): Metric {
    const { namespace, operationId } = this.#props
    const dimensionsMap = { Operation: operationId, ...dimensions }
    return new Metric({ namespace, metricName, dimensionsMap, statistic: Stats.SUM, period: Duration.minutes(1) })
  }
}
