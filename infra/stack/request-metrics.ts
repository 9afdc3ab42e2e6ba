import { Duration } from 'aws-cdk-lib'
import { Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch'
import { FilterPattern, type LogGroup, MetricFilter } from 'aws-cdk-lib/aws-logs'
import { Construct } from 'constructs'
import type { Operation } from '../../shared/contract.ts'

const BY_OPERATION = { Operation: '$.message.operation' }

type Props = { operationId: string; entry: Operation; logGroup: LogGroup; namespace: string }

/**
 * The metrics that CloudWatch extracts from the request log of an operation (`shared/middleware/request-log.ts`). No
 * dimension grows with the number of clients, because CloudWatch charges for each value of a dimension.
 */
export class RequestMetrics extends Construct {
  readonly #props: Props

  constructor(scope: Construct, id: string, props: Props) {
    super(scope, id)
    this.#props = props
    const { operationId, entry } = props
    this.#addFilter('InternalErrors', '$.message.status = 500', { ...BY_OPERATION, Version: '$.message.version' })
    this.#addFilter('ClientErrors', '($.message.status >= 400) && ($.message.status < 500)', { Code: '$.message.code' })
    this.#addFilter('ColdStarts', '$.message.coldStart IS TRUE', BY_OPERATION)
    if (entry.success.status === 201)
      this.#addFilter('Created', '($.message.status = 201) && ($.message.replayed NOT EXISTS)', BY_OPERATION)
    if (entry.deprecated) this.#addFilter('DeprecatedCalls', `$.message.operation = "${operationId}"`, BY_OPERATION)
  }

  /** Responses with status 500 of one version of the function. Lambda's own `Errors` does not count them. */
  internalErrors = (version: string): Metric => this.#metric('InternalErrors', { Version: version })

  coldStarts = (): Metric => this.#metric('ColdStarts')

  created = (): Metric => this.#metric('Created')

  deprecatedCalls = (): Metric => this.#metric('DeprecatedCalls')

  #addFilter(metricName: string, condition: string, dimensions: Record<string, string>): void {
    const { logGroup, namespace: metricNamespace } = this.#props
    const filterPattern = FilterPattern.literal(`{ ${condition} }`)
    new MetricFilter(this, metricName, { logGroup, filterPattern, metricNamespace, metricName, dimensions })
  }

  #metric(metricName: string, dimensions: Record<string, string> = {}): Metric {
    const { namespace, operationId } = this.#props
    const dimensionsMap = { Operation: operationId, ...dimensions }
    return new Metric({ namespace, metricName, dimensionsMap, statistic: Stats.SUM, period: Duration.minutes(1) })
  }
}
