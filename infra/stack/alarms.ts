import { Duration, Stack } from 'aws-cdk-lib'
import { Alarm, type AlarmProps, ComparisonOperator, Stats, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch'
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions'
import { ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import { Topic } from 'aws-cdk-lib/aws-sns'
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions'
import { Construct } from 'constructs'
import type { Stage } from '../stages.ts'
import type { ApiMetrics } from './metrics.ts'
import type { OperationFunction } from './operation-function.ts'

type Rule = Omit<AlarmProps, 'comparisonOperator' | 'treatMissingData'>
type Props = { metrics: ApiMetrics; operations: OperationFunction[]; stage: Stage }

/**
 * The alarms of a deployment, and the SNS topic that they notify: what callers notice, and what rolls a release back. Causes
 * are graphs: most faults are retried before a caller notices them, and an alarm on errors of DynamoDB may never end.
 */
export class Alarms extends Construct {
  /** They also notify when they end, and when they are new. */
  readonly ofApi: Alarm[]
  /** For the newest version of each function. They do not notify when they end: each release makes them watch another version. */
  readonly ofVersions: ReadonlyMap<OperationFunction, Alarm[]>
  readonly #action: SnsAction

  constructor(scope: Construct, id: string, { metrics, operations, stage }: Props) {
    super(scope, id)
    const topic = new Topic(this, 'Topic', { enforceSSL: true })
    // With `enforceSSL`, our policy replaces the default one, which lets the whole account publish.
    const conditions = { StringEquals: { 'aws:SourceAccount': Stack.of(this).account } }
    topic.grantPublish(new ServicePrincipal('cloudwatch.amazonaws.com', { conditions }))
    if (stage.alarmEmail) topic.addSubscription(new EmailSubscription(stage.alarmEmail))
    this.#action = new SnsAction(topic)
    this.ofApi = Object.entries(symptoms(metrics)).map(([name, rule]) => this.#newAlarm(name, rule))
    for (const alarm of this.ofApi) alarm.addOkAction(this.#action)
    this.ofVersions = new Map(operations.map((operation) => [operation, this.#newVersionAlarms(operation)]))
  }

  #newAlarm(name: string, rule: Rule): Alarm {
    const comparisonOperator = ComparisonOperator.GREATER_THAN_THRESHOLD
    const treatMissingData = TreatMissingData.NOT_BREACHING // Without requests there is no data.
    const alarm = new Alarm(this, name, { ...rule, comparisonOperator, treatMissingData })
    alarm.addAlarmAction(this.#action)
    return alarm
  }

  /** Their metrics are plain: metric math over a series without data might not roll back. */
  #newVersionAlarms({ operationId, alias, handler, internalErrors }: OperationFunction): Alarm[] {
    const alarmDescription =
      `The newest version of ${operationId} crashes, times out or returns 500. During a canary release, CodeDeploy rolls it ` +
      'back by itself; later, roll it back by hand. Filter its log for status 500, and check what changed in the release. ' +
      'The graph "5xx of each operation" shows how many callers notice it.'
    const dimensionsMap = {
      FunctionName: handler.functionName,
      Resource: `${handler.functionName}:${alias.aliasName}`,
      ExecutedVersion: handler.currentVersion.version,
    }
    const rule = { threshold: 0, evaluationPeriods: 1, alarmDescription }
    // Lambda counts a version that it ends after the time limit as an error, but not a 500.
    const crashes = alias.metric('Errors', { statistic: Stats.SUM, period: Duration.minutes(1), dimensionsMap })
    return [
      this.#newAlarm(`${operationId}Crashes`, { metric: crashes, ...rule }),
      this.#newAlarm(`${operationId}InternalErrors`, { metric: internalErrors, ...rule }),
    ]
  }
}

const CAUSES =
  'The graph "5xx of each operation" shows where. 500 is a bug: the log of the function has its cause. 502: a function ' +
  'crashed, timed out or was throttled ("Throttles of each function"). 503: see "Latency of DynamoDB, p99 (ms)", "Errors of ' +
  'DynamoDB" and "Conflicts of transactions". 504: API Gateway timed out while it waited for a function.'

const symptoms = (metrics: ApiMetrics): Record<string, Rule> => ({
  ApiFails: {
    metric: metrics.failedSeveralTimes,
    threshold: 1, // percent
    evaluationPeriods: 1,
    alarmDescription: `More than 1 % of the requests in five minutes, and at least five, got a 5xx response. ${CAUSES}`,
  },
  ApiDown: {
    metric: metrics.failedShare,
    threshold: 0.99, // of 1, which is all requests
    evaluationPeriods: 3,
    datapointsToAlarm: 2,
    alarmDescription: `In two of three windows of five minutes, all requests got a 5xx response. ${CAUSES}`,
  },
  OperationFails: {
    metric: metrics.failedByOperation,
    threshold: 4, // requests
    evaluationPeriods: 1,
    alarmDescription: `At least five requests of one operation in five minutes got a 5xx response. ${CAUSES}`,
  },
  ApiSlow: {
    metric: metrics.latency(99),
    threshold: 2000, // milliseconds
    evaluationPeriods: 3,
    alarmDescription:
      'One request in 100 has taken more than 2 s for 15 minutes. See "Cold starts" and "Latency of DynamoDB, p99 (ms)".',
  },
  ApiThrottles: {
    metric: metrics.refused,
    threshold: 5, // percent
    evaluationPeriods: 2,
    alarmDescription:
      'For ten minutes, more than 5 % of the requests have got a 429. The access log shows who sends most of those in the ' +
      'graph "Requests". If they are legitimate, raise the throttle of the stage. In a flood, this alarm may end too early.',
  },
})
