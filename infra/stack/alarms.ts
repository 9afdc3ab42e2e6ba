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
import { type ApiMetrics, percentage } from './metrics.ts'

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
    const action = new SnsAction(this.#newTopic(stage))
    const rows = Object.entries(outageRows(metrics))
    const outages = rows.map(([name, row]) => newAlarm(this, name, row))
    for (const alarm of outages) {
      alarm.addOkAction(action)
      alignWindows(alarm)
    }
    // Their end sends no mail, so there is at most one in two hours, or in a day.
    const defects = Object.entries(defectRows(metrics))
    this.all = [...outages, ...defects.map(([name, row]) => newAlarm(this, name, row))]
    for (const alarm of this.all) alarm.addAlarmAction(action)
  }

  #newTopic({ alarmEmail }: Stage): Topic {
    const topic = new Topic(this, 'Topic', { enforceSSL: true })
    // With `enforceSSL`, our policy replaces the default one, which lets the whole account publish.
    const conditions = { StringEquals: { 'aws:SourceAccount': Stack.of(this).account } }
    topic.grantPublish(new ServicePrincipal('cloudwatch.amazonaws.com', { conditions }))
    if (alarmEmail) topic.addSubscription(new EmailSubscription(alarmEmail))
    return topic
  }
}

type AlarmRow = Omit<AlarmProps, 'comparisonOperator' | 'treatMissingData'>

/** Creates an alarm that goes off above its threshold. */
export const newAlarm = (scope: Construct, id: string, row: AlarmRow): Alarm => {
  const comparisonOperator = ComparisonOperator.GREATER_THAN_THRESHOLD
  const treatMissingData = TreatMissingData.NOT_BREACHING // Without requests there is no data.
  return new Alarm(scope, id, { ...row, comparisonOperator, treatMissingData })
}

/**
 * Lets the windows of an alarm begin at fixed minutes. By default they slide, and a short outage
 * would be in one or two of them by turns, and mail each time.
 */
const alignWindows = ({ node }: Alarm): void => {
  if (node.defaultChild instanceof CfnAlarm)
    node.defaultChild.evaluationWindow = { wallClockWindow: { timezone: 'UTC' } }
}

// A window has five minutes. Not all of them must be bad, because the newest one lacks data: logs
// are late. They span an hour or two, so that a failure that comes and goes sends one mail.
const defectRows = (metrics: ApiMetrics): Record<string, AlarmRow> => ({
  ApiBroken: {
    metric: metrics.broken,
    threshold: 0, // requests
    datapointsToAlarm: 1,
    evaluationPeriods: 24,
    alarmDescription:
      'A request got a 5xx other than 503. See "5xx" in OPERATE.md, and "5xx of each operation" ' +
      'since the last mail: there is at most one in two hours.',
  },
  ItemsDamaged: {
    metric: metrics.damaged, // In an hour.
    threshold: 0,
    datapointsToAlarm: 1,
    evaluationPeriods: 24,
    alarmDescription:
      'A table has a damaged item, after an edit by hand or an import: lists leave it out, and ' +
      'reading it is a 500. Run `npm run rewrite` with --check, as "Rewrite items" in OPERATE.md ' +
      'says, for each collection: it names such items. There is at most one mail a day.',
  },
})

const outageRows = (metrics: ApiMetrics): Record<string, AlarmRow> => ({
  ApiFails: {
    metric: percentage(metrics.broken, metrics.requests, FIVE_OR_ONE_PERCENT),
    threshold: 0.1, // percent
    datapointsToAlarm: 2,
    evaluationPeriods: 12,
    alarmDescription:
      'In two windows of five minutes, more than 0.1 % of the requests got a 5xx other than 503. ' +
      'See "5xx of each operation", and "5xx" in OPERATE.md.',
  },
  ApiUnavailable: {
    metric: percentage(metrics.unavailable, metrics.requests, FIVE_OR_ONE_PERCENT),
    threshold: 0.1, // percent
    datapointsToAlarm: 2,
    evaluationPeriods: 12,
    alarmDescription:
      'In two windows of five minutes, more than 0.1 % of the requests got a 503: DynamoDB is ' +
      'slow, busy or unavailable. See "Errors of DynamoDB", and "5xx" in OPERATE.md.',
  },
  ApiRefuses: {
    metric: percentage(metrics.refused, metrics.requests, 'FILL(part, 0) >= 20'),
    threshold: 50, // percent
    datapointsToAlarm: 3,
    evaluationPeriods: 24,
    alarmDescription:
      'In three windows of five minutes, more than half of the requests got a 4xx other than ' +
      '429. Run "refused requests by address, client and code". A single client is at fault, or ' +
      'scans the API. If many are refused since a release or a restore of API keys, undo that.',
  },
  ApiSlow: {
    metric: metrics.latency(99),
    threshold: 2000, // milliseconds
    datapointsToAlarm: 5, // A few slow requests are usual.
    evaluationPeriods: 8,
    alarmDescription:
      'One request in 100 took more than 2 s. See "Latency of DynamoDB, p99 (ms)" and "Errors of ' +
      'DynamoDB". If they are as usual, run "init and duration of each function": cold starts ' +
      'after a sudden rise of traffic end by themselves.',
  },
  ApiThrottles: {
    metric: metrics.throttledPercentage,
    threshold: 5, // percent
    datapointsToAlarm: 3,
    evaluationPeriods: 24,
    alarmDescription:
      'In three windows of five minutes, more than 5 % of the requests got a 429. Run "refused ' +
      'requests by address, client and code". Block an abusive address with AWS WAF: a revoked ' +
      'key still uses up the throttle. For legitimate traffic, raise the throttle of the stage.',
  },
  LogsMissing: {
    metric: metrics.unlogged,
    threshold: 0, // requests
    datapointsToAlarm: 3,
    evaluationPeriods: 12,
    alarmDescription:
      'The access log has no requests, so only ApiSlow still works, and an OK of another alarm ' +
      'means nothing. Follow "The access log stays empty" in OPERATE.md. Until then, watch ' +
      '"5xx", which has a count without logs. This alarm ends within an hour after the repair.',
  },
})

// A few requests are no outage.
const FIVE_OR_ONE_PERCENT =
  'FILL(part, 0) >= 5 || (FILL(part, 0) >= 2 && 100 * FILL(part, 0) > whole)'
