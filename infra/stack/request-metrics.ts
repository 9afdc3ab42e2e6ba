import { Duration } from 'aws-cdk-lib'
import { Metric, type MetricOptions, Stats } from 'aws-cdk-lib/aws-cloudwatch'
import { FilterPattern, type LogGroup, MetricFilter } from 'aws-cdk-lib/aws-logs'
import { Construct } from 'constructs'
import type { Operation } from '../../shared/contract.ts'

const BY_OPERATION = { Operation: '$.message.operation' }

type Props = { operationId: string; row: Operation; logGroup: LogGroup; namespace: string }

/**
 * The metrics that CloudWatch makes of the request lines of one operation (`shared/middleware/request-log.ts`). None
 * has a dimension that grows with the number of clients: each value of one is paid for.
 */
export class RequestMetrics extends Construct {
  readonly #props: Props

  constructor(scope: Construct, id: string, props: Props) {
    super(scope, id)
    this.#props = props
    const { operationId: Operation, row } = props
    this.#filter('InternalErrors', '$.message.status = 500', { ...BY_OPERATION, Version: '$.message.version' })
    this.#filter('ClientErrors', '($.message.status >= 400) && ($.message.status < 500)', { Code: '$.message.code' })
    this.#filter('ColdStarts', '$.message.coldStart IS TRUE', BY_OPERATION)
    if (row.success.status === 201)
      this.#filter('Created', '($.message.status = 201) && ($.message.replayed NOT EXISTS)', BY_OPERATION)
    if (row.deprecated) this.#filter('DeprecatedCalls', `$.message.operation = "${Operation}"`, BY_OPERATION)
  }

  /** Answers with status 500, of one version of the function: Lambda's own `Errors` does not count them. */
  internalErrors(Version: string): Metric {
    return this.#metric('InternalErrors', { Operation: this.#props.operationId, Version })
  }

  coldStarts = (): Metric => this.#metric('ColdStarts', { Operation: this.#props.operationId })

  created = (): Metric => this.#metric('Created', { Operation: this.#props.operationId })

  deprecatedCalls = (): Metric => this.#metric('DeprecatedCalls', { Operation: this.#props.operationId })

  #filter(metricName: string, condition: string, dimensions: Record<string, string>): void {
    const { logGroup, namespace: metricNamespace } = this.#props
    const filterPattern = FilterPattern.literal(`{ ${condition} }`)
    new MetricFilter(this, metricName, { logGroup, filterPattern, metricNamespace, metricName, dimensions })
  }

  #metric(metricName: string, dimensionsMap: Record<string, string>): Metric {
    const options: MetricOptions = { statistic: Stats.SUM, period: Duration.minutes(1) }
    return new Metric({ namespace: this.#props.namespace, metricName, dimensionsMap, ...options })
  }
}
