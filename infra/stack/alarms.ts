import { CfnOutput, Stack } from 'aws-cdk-lib'
import {
  Alarm,
  type AlarmProps,
  CfnAlarm,
  ComparisonOperator,
  type IMetric,
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

  constructor(scope: Construct, id: string, { metrics, stage, dashboardName }: AlarmsProps) {
    super(scope, id)
    const { region } = Stack.of(this)
    const dashboard =
      `https://console.aws.amazon.com/cloudwatch/home?region=${region}` +
      `#dashboards/dashboard/${dashboardName}`
    const newAlarms = (rows: Record<string, Row>) =>
      Object.entries(rows).map(([name, { metric, above, windows, text }]) =>
        newAlarm(this, name, {
          metric,
          threshold: above,
          datapointsToAlarm: windows.bad,
          evaluationPeriods: windows.of,
          alarmDescription: `${text} Dashboard: ${dashboard}`,
        }),
      )
    const outages = newAlarms(outageRows(metrics))
    this.all = [...outages, ...newAlarms(defectRows(metrics))]
    const action = new SnsAction(this.#newTopic(stage))
    for (const alarm of this.all) alarm.addAlarmAction(action)
    // The end of a defect sends no mail: one bad request sends one mail.
    for (const alarm of outages) {
      alarm.addOkAction(action)
      alignWindows(alarm)
    }
  }

  #newTopic({ alarmEmail }: Stage): Topic {
    const topic = new Topic(this, 'Topic', { enforceSSL: true })
    // With `enforceSSL`, our policy replaces the default one, which lets the whole account publish.
    const conditions = { StringEquals: { 'aws:SourceAccount': Stack.of(this).account } }
    topic.grantPublish(new ServicePrincipal('cloudwatch.amazonaws.com', { conditions }))
    new CfnOutput(Stack.of(this), 'AlarmTopic', { value: topic.topicArn })
    if (alarmEmail) topic.addSubscription(new EmailSubscription(alarmEmail))
    return topic
  }
}

type AlarmsProps = { metrics: ApiMetrics; stage: Stage; dashboardName: string }

type AlarmRow = Omit<AlarmProps, 'comparisonOperator' | 'treatMissingData'>

/** Creates an alarm that goes off above its threshold. */
export const newAlarm = (scope: Construct, id: string, row: AlarmRow): Alarm => {
  const comparisonOperator = ComparisonOperator.GREATER_THAN_THRESHOLD
  const treatMissingData = TreatMissingData.NOT_BREACHING // Without requests there is no data.
  return new Alarm(scope, id, { ...row, comparisonOperator, treatMissingData })
}

/**
 * Lets the windows of an alarm begin at fixed minutes. By default they slide: a short outage would
 * be in one window, then in two, then in one again, and send a mail each time.
 */
const alignWindows = ({ node }: Alarm): void => {
  if (node.defaultChild instanceof CfnAlarm)
    node.defaultChild.evaluationWindow = { wallClockWindow: { timezone: 'UTC' } }
}

/**
 * An alarm goes off if `bad` of the last `of` windows are above the threshold. Its mail has `text`.
 * A window is the period of the metric: five minutes, unless metrics.ts says otherwise. The newest
 * one lacks data, because logs are late. A large `of` lets a failure that comes and goes send one
 * mail.
 */
type Row = {
  metric: IMetric
  above: number
  windows: { bad: number; of: number }
  text: string
}

const defectRows = ({ bugs, damaged }: ApiMetrics): Record<string, Row> => ({
  ApiBroken: {
    metric: bugs,
    above: 0, // requests
    windows: { bad: 1, of: 24 },
    text: `A request got a 500. ${FAILURES} There is at most one mail in two hours.`,
  },
  ItemsDamaged: {
    metric: damaged,
    above: 0, // reports in an hour
    windows: { bad: 1, of: 24 },
    text:
      'A table has a damaged item, after an edit by hand or an import: lists leave it out, and ' +
      'reading it is a 500. For each collection, run `npm run rewrite` with --check, as "Rewrite ' +
      'items" in OPERATE.md says: it names such items. There is at most one mail a day.',
  },
})

const outageRows = (metrics: ApiMetrics): Record<string, Row> => ({
  // Its windows have a minute: an outage is not averaged with the minutes around it.
  ApiDown: {
    metric: metrics.failedPercentage,
    above: 10, // percent
    windows: { bad: 3, of: 20 },
    text: `More than 10 % of the requests got a 5xx. ${FAILURES}`,
  },
  ApiFails: {
    metric: metrics.brokenPercentage,
    above: 0.1, // percent
    windows: { bad: 2, of: 26 },
    text: `More than 0.1 % of the requests got a 5xx other than 503. ${FAILURES}`,
  },
  ApiUnavailable: {
    metric: metrics.unavailablePercentage,
    above: 0.1, // percent
    windows: { bad: 2, of: 26 },
    text:
      'More than 0.1 % of the requests got a 503: DynamoDB is slow, busy or unavailable. See ' +
      '"Errors of DynamoDB", and "5xx" in OPERATE.md.',
  },
  ApiRefuses: {
    metric: metrics.refusedPercentage,
    above: 50, // percent
    windows: { bad: 3, of: 24 },
    text:
      'More than half of the requests got a 4xx other than 429. Run "refused requests by ' +
      'address, client and code". If they come from one client, it has a bug or is guessing keys. ' +
      'If they come from many since a release or a restore of API keys, undo that.',
  },
  ApiSlow: {
    metric: metrics.latency(99),
    above: 1500, // milliseconds
    windows: { bad: 5, of: 8 }, // A few slow requests are usual.
    text: `One request in 100 took more than 1.5 s. ${LATENCY}`,
  },
  ApiSlowForMany: {
    metric: metrics.latency(90),
    above: 1000, // milliseconds
    windows: { bad: 2, of: 8 },
    text: `One request in 10 took more than 1 s. ${LATENCY}`,
  },
  ApiThrottles: {
    metric: metrics.throttledPercentage,
    above: 5, // percent
    windows: { bad: 3, of: 24 },
    text:
      'More than 5 % of the requests got a 429. Run "refused requests by address, client and ' +
      'code". Against a single one, set `firewall` in infra/stages.ts: a revoked key still uses ' +
      'up the throttle. For legitimate traffic, raise the throttle or the rates of the firewall.',
  },
  LogsMissing: {
    metric: metrics.unlogged,
    above: 1, // request, whose line may be counted in the next window
    windows: { bad: 5, of: 12 },
    text:
      'The access log has no requests, so only ApiDown and alarms on latency still work, and an ' +
      'OK of another alarm means nothing. Follow "The access log stays empty" in OPERATE.md. ' +
      'This alarm ends within an hour after the repair.',
  },
})

const FAILURES = 'See "5xx of each operation", and "5xx" in OPERATE.md.'

const LATENCY =
  'See "Latency of DynamoDB, p99 (ms)" and "Errors of DynamoDB". If they are as usual, run "init ' +
  'and duration of each function": cold starts after a sudden rise of traffic end by themselves.'
