import { Stack } from 'aws-cdk-lib'
import {
  Alarm,
  type AlarmProps,
  CfnAlarm,
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
 * Alarms on what callers notice, and the SNS topic that they notify. Causes are graphs: most faults
 * are retried before anyone notices, and an alarm on errors of DynamoDB may never end.
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
    const rules = Object.entries(outageRules(metrics))
    const outages = rules.map(([name, rule]) => newAlarm(this, name, rule))
    for (const alarm of outages) {
      alarm.addOkAction(action)
      alignWindows(alarm)
    }
    // Its end sends no mail, so there is at most one in two hours.
    const bugs = newAlarm(this, 'ApiBroken', bugRule(metrics))
    this.all = [...outages, bugs]
    for (const alarm of this.all) alarm.addAlarmAction(action)
  }
}

type AlarmRule = Omit<AlarmProps, 'comparisonOperator' | 'treatMissingData'>

/** Creates an alarm that goes off above its threshold. */
export const newAlarm = (scope: Construct, id: string, rule: AlarmRule): Alarm => {
  const comparisonOperator = ComparisonOperator.GREATER_THAN_THRESHOLD
  const treatMissingData = TreatMissingData.NOT_BREACHING // Without requests there is no data.
  return new Alarm(scope, id, { ...rule, comparisonOperator, treatMissingData })
}

/**
 * Lets the windows of an alarm begin at fixed minutes. By default they slide, and a short outage
 * would be in one or two of them by turns, and mail each time.
 */
const alignWindows = ({ node }: Alarm): void => {
  if (node.defaultChild instanceof CfnAlarm)
    node.defaultChild.evaluationWindow = { wallClockWindow: { timezone: 'UTC' } }
}

// Never all windows: logs are late, so the newest one lacks data.
const TWO_OF_SIX = { datapointsToAlarm: 2, evaluationPeriods: 6 }
const THREE_OF_FOUR = { datapointsToAlarm: 3, evaluationPeriods: 4 }
// In two hours, because what clients do comes and goes.
const THREE_OF_MANY = { datapointsToAlarm: 3, evaluationPeriods: 24 }

const bugRule = (metrics: ApiMetrics): AlarmRule => ({
  metric: metrics.broken,
  threshold: 0, // requests
  datapointsToAlarm: 1,
  evaluationPeriods: 24,
  alarmDescription:
    'A request got a 5xx other than 503. See "5xx" in OPERATE.md, and "5xx of each operation" ' +
    'since the last mail: there is at most one in two hours.',
})

const outageRules = (metrics: ApiMetrics): Record<string, AlarmRule> => ({
  ApiFails: {
    metric: metrics.brokenPercentage,
    threshold: 0.1, // percent
    ...TWO_OF_SIX,
    alarmDescription:
      'More than 0.1 % of the requests got a 5xx other than 503. See "5xx of each operation", ' +
      'and "5xx" in OPERATE.md.',
  },
  ApiUnavailable: {
    metric: metrics.unavailablePercentage,
    threshold: 0.1, // percent
    ...TWO_OF_SIX,
    alarmDescription:
      'More than 0.1 % of the requests got a 503: DynamoDB is slow, busy or unavailable. See ' +
      '"Errors of DynamoDB", and "5xx" in OPERATE.md.',
  },
  ApiRefuses: {
    metric: metrics.refusedPercentage,
    threshold: 50, // percent
    ...THREE_OF_MANY,
    alarmDescription:
      'In 15 minutes of two hours, more than half of the requests got a 4xx other than 429. Run ' +
      '"refused requests by address, client and code". A single client is at fault, or scans ' +
      'the API. If a release began it, go back to an older version.',
  },
  ApiSlow: {
    metric: metrics.latency(99),
    threshold: 2000, // milliseconds
    ...THREE_OF_FOUR,
    alarmDescription:
      'One request in 100 took more than 2 s. See "Latency of DynamoDB, p99 (ms)" and "Errors of ' +
      'DynamoDB". If they are as usual, run "init and duration of each function": cold starts ' +
      'after a sudden rise of traffic end by themselves.',
  },
  ApiThrottles: {
    metric: metrics.throttledPercentage,
    threshold: 5, // percent
    ...THREE_OF_MANY,
    alarmDescription:
      'In 15 minutes of two hours, more than 5 % of the requests got a 429. Run "refused ' +
      'requests by address, client and code". Revoke the key of an abusive client, or block its ' +
      'address with AWS WAF. Raise the throttle of the stage for legitimate traffic.',
  },
  LogsMissing: {
    metric: metrics.unlogged,
    threshold: 0, // requests
    ...THREE_OF_FOUR,
    alarmDescription:
      'The access log has no requests, so only ApiSlow still works. Follow "The access log stays ' +
      'empty" in OPERATE.md. Until then, watch "5xx", which has a count without logs.',
  },
})
