import { Duration, Stack } from 'aws-cdk-lib'
import {
  Alarm,
  type AlarmProps,
  ComparisonOperator,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch'
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions'
import { ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import { Topic } from 'aws-cdk-lib/aws-sns'
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions'
import { Construct } from 'constructs'
import type { Stage } from '../stages.ts'
import type { ApiMetrics } from './metrics.ts'

/**
 * The alarms, and the SNS topic that they notify when they go off and when they end. They watch
 * what callers notice. Causes are graphs: most faults are retried before anyone notices, and an
 * alarm on errors of DynamoDB may never end.
 */
export class Alarms extends Construct {
  readonly all: Alarm[]

  constructor(
    scope: Construct,
    id: string,
    { metrics, stage }: { metrics: ApiMetrics; stage: Stage },
  ) {
    super(scope, id)
    const topic = new Topic(this, 'Topic', { enforceSSL: true })
    // With `enforceSSL`, our policy replaces the default one, which lets the whole account publish.
    const conditions = { StringEquals: { 'aws:SourceAccount': Stack.of(this).account } }
    topic.grantPublish(new ServicePrincipal('cloudwatch.amazonaws.com', { conditions }))
    if (stage.alarmEmail) topic.addSubscription(new EmailSubscription(stage.alarmEmail))
    const action = new SnsAction(topic)
    this.all = Object.entries(symptoms(metrics)).map(([name, rule]) => newAlarm(this, name, rule))
    for (const alarm of this.all) {
      alarm.addAlarmAction(action)
      alarm.addOkAction(action)
    }
  }
}

type AlarmRule = Omit<AlarmProps, 'comparisonOperator' | 'treatMissingData'>

/** Creates an alarm that goes off above its threshold. */
export const newAlarm = (scope: Construct, id: string, rule: AlarmRule): Alarm => {
  const comparisonOperator = ComparisonOperator.GREATER_THAN_THRESHOLD
  const treatMissingData = TreatMissingData.NOT_BREACHING // Without requests there is no data.
  return new Alarm(scope, id, { ...rule, comparisonOperator, treatMissingData })
}

const UNAVAILABLE =
  'got a 503: DynamoDB is slow, busy or unavailable. See "Latency of DynamoDB, p99 (ms)", ' +
  '"Errors of DynamoDB" and "Conflicts of transactions".'

const symptoms = (metrics: ApiMetrics): Record<string, AlarmRule> => ({
  ApiBroken: {
    metric: metrics.broken,
    threshold: 0, // requests
    // What fails once in each hour stays one alarm, whenever in the hour it fails.
    evaluationPeriods: 24,
    datapointsToAlarm: 1,
    alarmDescription:
      'A function has a bug, crashes, is throttled, or lacks something, such as a table: in the ' +
      'last two hours, a request got a 5xx other than 503. "5xx of each operation" shows which ' +
      'one. Read the log of its function. Go back to an older version only if this began with a ' +
      'release.',
  },
  ApiUnavailable: {
    metric: metrics.unavailable,
    threshold: 4, // requests
    evaluationPeriods: 1,
    alarmDescription: `In five minutes, at least five requests ${UNAVAILABLE}`,
  },
  ApiUnavailableRarely: {
    metric: metrics.unavailable.with({ period: Duration.hours(1) }),
    threshold: 2, // requests
    evaluationPeriods: 1,
    alarmDescription: `In an hour, at least three requests ${UNAVAILABLE}`,
  },
  ApiRefuses: {
    metric: metrics.refusedPercentage,
    threshold: 50, // percent
    evaluationPeriods: 3,
    alarmDescription:
      'See who sends them: the saved query "refused requests by address, client and code". In ' +
      'each of three windows of five minutes, more than half of at least 50 requests got a 4xx ' +
      'other than 429. A scanner looks the same as a release that refuses valid keys or bodies.',
  },
  ApiSlow: {
    metric: metrics.latency(99),
    threshold: 2000, // milliseconds
    evaluationPeriods: 3,
    alarmDescription:
      'One request in 100 has taken more than 2 s for 15 minutes. See the saved query "init and ' +
      'duration of each function", and "Latency of DynamoDB, p99 (ms)".',
  },
  ApiThrottles: {
    metric: metrics.throttledPercentage,
    threshold: 5, // percent
    evaluationPeriods: 2,
    alarmDescription:
      'In two windows of five minutes, more than 5 % of the requests got a 429. The access log ' +
      'shows who sends most of those in "Requests". If they are legitimate, raise the throttle ' +
      'of the stage. In a flood, this alarm may end too early.',
  },
})
