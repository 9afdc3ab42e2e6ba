import { Duration, Stack } from 'aws-cdk-lib'
import { type IMetric, Stats } from 'aws-cdk-lib/aws-cloudwatch'
import type { ITable } from 'aws-cdk-lib/aws-dynamodb'
import { FilterPattern, MetricFilter } from 'aws-cdk-lib/aws-logs'
import { Construct } from 'constructs'
import { tableNames, tables } from '../shared/data/tables.ts'
import { Alarms } from './alarms.ts'
import type { Api } from './api.ts'
import { releaseByCanary } from './canary-release.ts'
import { addDashboard } from './dashboard.ts'
import { percent, sumOverOperations } from './metric-math.ts'
import type { OperationFunction } from './operation-function.ts'
import { saveDeprecatedCallersQuery } from './saved-queries.ts'
import type { Stage } from './stages.ts'
import type { Storage } from './storage.ts'

/** What is watched: the parts of a deployment. */
export type Watched = { api: Api; operations: OperationFunction[]; storage: Storage; stage: Stage }

const period = Duration.minutes(5)

const SHARDS = 'If creates of one status do it, raise readShards and then writeShards.'

/** Alarms for whoever is on call, a dashboard, a saved log query, and releases that take themselves back. */
export class Monitoring extends Construct {
  readonly #alarms: Alarms

  constructor(scope: Construct, id: string, watched: Watched) {
    super(scope, id)
    const { api, operations, storage, stage } = watched
    this.#alarms = new Alarms(this, 'Alarms', stage)
    this.#watchApi(api)
    for (const operation of operations) this.#watchFunction(operation, stage)
    for (const name of tableNames) this.#watchTable(name, storage.tables[name])
    addDashboard(this, watched)
    saveDeprecatedCallersQuery(this, operations)
  }

  #watchApi({ api, accessLog }: Api): void {
    const sum = { statistic: Stats.SUM, period }
    this.#alarm('ApiFails', percent(api.metricServerError(sum), api.metricCount(sum)), 1, 1, [
      'More than 1 % of the requests got a 5xx. 500 is a bug: the function log has its cause. 503 is DynamoDB. 502 is a',
      'function that crashed, hung or was not started, see its Throttles alarm; 504 is API Gateway, which gave up waiting.',
    ])
    this.#alarm('ApiSlow', api.metricLatency({ statistic: Stats.p(99), period }), 2000, 3, [
      'One request in a hundred takes more than 2 s. On the dashboard: are there many cold starts, or is DynamoDB slow?',
    ])
    const metric = { metricNamespace: Stack.of(this).stackName, metricName: 'ApiThrottled' }
    const filterPattern = FilterPattern.literal('{ $.status = "429" }')
    const throttled = new MetricFilter(this, 'ApiThrottled', { ...metric, logGroup: accessLog, filterPattern })
    this.#alarm('ApiThrottles', throttled.metric(sum), 0, 1, [
      "Callers got a 429. The access log says who sends so much; if it is rightful, raise the stage's throttle.",
    ])
  }

  #watchFunction(operation: OperationFunction, stage: Stage): void {
    const { operationId, handler } = operation
    this.#alarm(`${operationId}Throttles`, handler.metricThrottles({ statistic: Stats.SUM, period }), 0, 1, [
      `Lambda did not run ${operationId}, because the account or the function has too many at once. Raise the quota of`,
      'concurrent executions, or reservedConcurrency.',
    ])
    if (stage.release === 'canary') releaseByCanary(operation, this.#alarms)
  }

  #watchTable(name: keyof typeof tables, table: ITable): void {
    this.#alarm(`${name}Throttles`, sumOverOperations(table, 'ThrottledRequests'), 0, 1, [
      `DynamoDB throttles the table ${name}: one partition is hot, or traffic more than doubled at once.`,
      ...('byStatus' in tables[name].indexes ? [SHARDS] : []),
    ])
    this.#alarm(`${name}SystemErrors`, sumOverOperations(table, 'SystemErrors'), 0, 1, [
      `DynamoDB fails on its side for the table ${name}; callers get 503. Look at the AWS Health Dashboard.`,
    ])
  }

  #alarm(name: string, metric: IMetric, above: number, periods: number, lookAt: string[]): void {
    this.#alarms.add(name, { metric, above, periods, lookAt: lookAt.join(' ') })
  }
}
