import { Duration, Stack } from 'aws-cdk-lib'
import { Alarm, ComparisonOperator, type IMetric, Stats, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch'
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions'
import { ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import { Topic } from 'aws-cdk-lib/aws-sns'
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions'
import { Construct } from 'constructs'
import type { Stage } from '../stages.ts'
import type { OperationFunction } from './operation-function.ts'

/** Goes off when `metric` exceeds `above` for `periods` in a row. `description` tells the operator what to check. */
type AlarmRule = { metric: IMetric; above?: number; periods?: number; description: string }

/** The alarms of a deployment, and the SNS topic that they notify. */
export class Alarms extends Construct {
  readonly #topic: Topic

  constructor(scope: Construct, id: string, { alarmEmail }: Stage) {
    super(scope, id)
    this.#topic = new Topic(this, 'Topic', { enforceSSL: true })
    // With `enforceSSL`, our policy replaces the default one, which lets the whole account publish.
    const conditions = { StringEquals: { 'aws:SourceAccount': Stack.of(this).account } }
    this.#topic.grantPublish(new ServicePrincipal('cloudwatch.amazonaws.com', { conditions }))
    if (alarmEmail) this.#topic.addSubscription(new EmailSubscription(alarmEmail))
  }

  /** Adds an alarm that also notifies when it ends, and when it is new. */
  add(name: string, rule: AlarmRule): void {
    this.#newAlarm(name, rule).addOkAction(new SnsAction(this.#topic))
  }

  #newAlarm(name: string, { metric, above = 0, periods = 1, description }: AlarmRule): Alarm {
    const alarm = new Alarm(this, name, {
      metric,
      threshold: above,
      comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
      evaluationPeriods: periods,
      treatMissingData: TreatMissingData.NOT_BREACHING, // Without requests there is no data.
      alarmDescription: description,
    })
    alarm.addAlarmAction(new SnsAction(this.#topic))
    return alarm
  }

  /**
   * Adds the alarms for the newest version of a function: they roll back its canary release. They do not notify when they
   * end, because each release makes them watch another version.
   */
  addForVersion(operation: OperationFunction): Alarm[] {
    const { operationId, metrics } = operation
    const description =
      `The newest version of ${operationId} crashes, returns 500 or is slow. During a canary release, CodeDeploy rolls it ` +
      'back by itself; later, roll it back by hand. Filter its log for status 500, and check what changed in the release.'
    const add = (name: string, metric: IMetric, above: number, periods: number) =>
      this.#newAlarm(`${operationId}${name}`, { metric, above, periods, description })
    return [
      add('Crashes', versionMetric(operation, 'Errors', Stats.SUM), 0, 1),
      add('InternalErrors', metrics.internalErrors, 0, 1),
      // A version that respects the two time limits, 3 s for the key check and 3 s for the operation, takes no longer.
      add('Slow', versionMetric(operation, 'Duration', Stats.p(99)), 7000, 2),
    ]
  }
}

const versionMetric = ({ alias, handler }: OperationFunction, metricName: string, statistic: string): IMetric =>
  alias.metric(metricName, {
    statistic,
    period: Duration.minutes(1),
    dimensionsMap: {
      FunctionName: handler.functionName,
      Resource: `${handler.functionName}:${alias.aliasName}`,
      ExecutedVersion: handler.currentVersion.version,
    },
  })
