import { CfnOutput, Duration, Stack } from 'aws-cdk-lib'
import {
  Alarm,
  type AlarmProps,
  CfnAlarm,
  ComparisonOperator,
  MathExpression,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch'
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions'
import { ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import { Topic } from 'aws-cdk-lib/aws-sns'
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions'
import type { Construct } from 'constructs'
import type { Stage } from '../stages.ts'
import type { ApiMetrics } from './metrics.ts'

type AlarmsProps = { metrics: ApiMetrics; stage: Stage; dashboardName: string }

/**
 * Creates alarms on what callers notice, and the SNS topic that they notify. Causes are graphs:
 * most faults are retried before anyone notices, and an alarm on errors of DynamoDB may never end.
 */
export const newAlarms = (
  scope: Construct,
  { metrics, stage, dashboardName }: AlarmsProps,
): Alarm[] => {
  const dashboard =
    `https://console.aws.amazon.com/cloudwatch/home?region=${Stack.of(scope).region}` +
    `#dashboards/dashboard/${dashboardName}`
  const action = new SnsAction(newTopic(scope, stage))
  return Object.entries(rows).map(([name, { when, windows, text }]) => {
    const alarm = newAlarm(scope, name, {
      metric: isMet(when, windows.minutes, metrics),
      datapointsToAlarm: windows.bad,
      evaluationPeriods: windows.of,
      alarmDescription: `${text} Dashboard: ${dashboard}`,
    })
    alarm.addAlarmAction(action)
    // A single bad request sends a single mail.
    if (name !== 'ApiBroken') alarm.addOkAction(action)
    // By default, windows slide: a short outage would be in one, then in two, then in one again,
    // and send a mail each time.
    if (windows.bad > 1 && alarm.node.defaultChild instanceof CfnAlarm)
      alarm.node.defaultChild.evaluationWindow = { wallClockWindow: { timezone: 'UTC' } }
    return alarm
  })
}

const newTopic = (scope: Construct, { alarmEmail }: Stage): Topic => {
  const topic = new Topic(scope, 'Topic', { enforceSSL: true })
  // With `enforceSSL`, our policy replaces the default one, which lets the whole account publish.
  const conditions = { StringEquals: { 'aws:SourceAccount': Stack.of(scope).account } }
  topic.grantPublish(new ServicePrincipal('cloudwatch.amazonaws.com', { conditions }))
  new CfnOutput(Stack.of(scope), 'AlarmTopic', { value: topic.topicArn })
  if (alarmEmail) topic.addSubscription(new EmailSubscription(alarmEmail))
  return topic
}

type Props = Omit<AlarmProps, 'threshold'>

/** Creates an alarm that goes off above zero. */
export const newAlarm = (scope: Construct, id: string, props: Props): Alarm => {
  const comparisonOperator = ComparisonOperator.GREATER_THAN_THRESHOLD
  const treatMissingData = TreatMissingData.NOT_BREACHING // Without requests there is no data.
  return new Alarm(scope, id, { threshold: 0, comparisonOperator, treatMissingData, ...props })
}

/** A metric that is 1 in a window in which a condition on others is met, and otherwise 0. */
const isMet = (when: string, minutes: number, metrics: ApiMetrics): MathExpression => {
  const used = Object.entries(metrics).filter(([name]) => when.includes(name))
  // A log has no data, instead of zero, while there is nothing to count.
  const filled = when.replaceAll(/\b(?!requests)[a-z]+/g, 'FILL($&, 0)')
  return new MathExpression({
    expression: `IF(${filled}, 1, 0)`,
    usingMetrics: Object.fromEntries(used),
    period: Duration.minutes(minutes),
  })
}

/**
 * An alarm goes off if a condition is met in `bad` of the last `of` windows. Its mail has `text`.
 * The newest window lacks data, because logs are late. A large `of` lets a failure that comes and
 * goes send one mail.
 */
type Row = { when: string; windows: { minutes: number; bad: number; of: number }; text: string }

/** It slides: a rare operation that always fails is seen as soon as it has failed often enough. */
const HOUR = { minutes: 60, bad: 1, of: 1 }

/** At least so many, and above such a share of the requests: fewer are no outage. */
const share = (count: string, least: number, percent: number): string =>
  `(${count} >= ${least} && 100 * ${count} > ${percent} * requests)`

const FAILURES = 'See "5xx of each operation", and "5xx" in OPERATE.md.'

const rows: Record<string, Row> = {
  ApiDown: {
    // Each count may miss some.
    when: `${share('errors', 5, 10)} || ${share('(broken + unavailable)', 5, 10)}`,
    // An outage is not averaged with the minutes around it.
    windows: { minutes: 1, bad: 3, of: 20 },
    text: `More than 10 % of the requests got a 5xx. ${FAILURES}`,
  },
  ApiFails: {
    when: share('broken', 5, 0.03),
    windows: HOUR,
    text: `In an hour, more than 0.03 % of the requests got a 5xx other than 503. ${FAILURES}`,
  },
  ApiUnavailable: {
    when: share('unavailable', 5, 0.03),
    windows: HOUR,
    text:
      'In an hour, more than 0.03 % of the requests got a 503: DynamoDB is slow, busy or ' +
      'unavailable. See "Errors of DynamoDB", and "5xx" in OPERATE.md.',
  },
  ApiBroken: {
    when: 'bugs > 0',
    windows: { minutes: 5, bad: 1, of: 24 },
    text: `A request got a 500. ${FAILURES} At most one mail comes in two hours.`,
  },
  ApiRefuses: {
    when: `${share('denied', 60, 5)} || ${share('invalid', 60, 15)}`,
    windows: HOUR,
    text:
      'In an hour, more than 5 % of the requests got a 401 or 403, or more than 15 % a 400. Run ' +
      '"refused requests by address, client and code". A single client has an expired key or ' +
      'a bug, or guesses keys. If there are many since a release or a restore of keys, undo that.',
  },
  ApiThrottles: {
    when: share('throttled', 4, 5),
    windows: { minutes: 5, bad: 2, of: 24 },
    text:
      'More than 5 % of the requests got a 429. Run "refused requests by address, client and ' +
      'code". Against a single one, set `firewall` in infra/stages.ts: a revoked key still uses ' +
      'up the throttle. For legitimate traffic, raise the throttle or the rates of the firewall.',
  },
  ApiSlowForMany: {
    when: share('slow', 20, 10),
    windows: { minutes: 5, bad: 2, of: 8 },
    text:
      'One request in 10 took more than 1 s. See "Latency of DynamoDB, p99 (ms)", "Errors of ' +
      'DynamoDB" and "Duration of each function, p99 (ms)". Cold starts pass by themselves.',
  },
  LogsMissing: {
    // The line of one request may be counted in the next window.
    when: 'requests > 1 && lines == 0',
    windows: { minutes: 5, bad: 5, of: 12 },
    text:
      'The access log has no requests, so only ApiDown and ApiSlowForMany work. Follow ' +
      '"The access log stays empty" in OPERATE.md. This ends within an hour of the repair.',
  },
}
