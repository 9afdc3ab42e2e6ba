import { Stack } from 'aws-cdk-lib'
import { Alarm, ComparisonOperator, type IMetric, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch'
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions'
import { ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import { Topic } from 'aws-cdk-lib/aws-sns'
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions'
import { Construct } from 'constructs'
import type { Stage } from '../stages.ts'

/** Goes off when `metric` exceeds `above` for `periods` in a row. `description` tells the operator what to check. */
type AlarmRule = { metric: IMetric; above: number; periods: number; description: string }

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

  add(name: string, { metric, above, periods, description }: AlarmRule): Alarm {
    const alarm = new Alarm(this, name, {
      metric,
      threshold: above,
      comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
      evaluationPeriods: periods,
      treatMissingData: TreatMissingData.NOT_BREACHING, // Without requests there is no data.
      alarmDescription: description,
    })
    const notify = new SnsAction(this.#topic)
    alarm.addAlarmAction(notify)
    alarm.addOkAction(notify)
    return alarm
  }
}
