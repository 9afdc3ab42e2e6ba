import { Stack } from 'aws-cdk-lib'
import { Alarm, ComparisonOperator, type IMetric, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch'
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions'
import { ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import { Topic } from 'aws-cdk-lib/aws-sns'
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions'
import { Construct } from 'constructs'
import type { Stage } from '../stages.ts'

/** An alarm: its metric is above a limit so many periods in a row; and what whoever it wakes looks at first. */
export type Rule = { metric: IMetric; above: number; periods: number; lookAt: string }

/** The alarms of a deployment, and the topic that tells of them. */
export class Alarms extends Construct {
  readonly #topic: Topic

  constructor(scope: Construct, id: string, { alarmEmail }: Stage) {
    super(scope, id)
    this.#topic = new Topic(this, 'Topic', { enforceSSL: true })
    // With `enforceSSL` a policy of our own takes the place of SNS's, which lets in whatever belongs to the account.
    const conditions = { StringEquals: { 'aws:SourceAccount': Stack.of(this).account } }
    this.#topic.grantPublish(new ServicePrincipal('cloudwatch.amazonaws.com', { conditions }))
    if (alarmEmail) this.#topic.addSubscription(new EmailSubscription(alarmEmail))
  }

  add(name: string, { metric, above, periods, lookAt }: Rule): Alarm {
    const alarm = new Alarm(this, name, {
      metric,
      threshold: above,
      comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
      evaluationPeriods: periods,
      // No request, no trouble.
      treatMissingData: TreatMissingData.NOT_BREACHING,
      alarmDescription: lookAt,
    })
    alarm.addAlarmAction(new SnsAction(this.#topic))
    return alarm
  }
}
