import { Duration, Stack } from 'aws-cdk-lib'
import { type IMetric, MathExpression, type Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch'
import type { ITable } from 'aws-cdk-lib/aws-dynamodb'
import { FilterPattern, MetricFilter, QueryDefinition, QueryString } from 'aws-cdk-lib/aws-logs'
import { Construct } from 'constructs'
import { type Action, tables } from '../../shared/data/tables.ts'
import { accessOf } from '../gateway.ts'
import { Alarms } from './alarms.ts'
import type { Api } from './api.ts'
import { CanaryRelease } from './canary-release.ts'
import { addDashboard, type Monitored } from './dashboard.ts'
import type { OperationFunction } from './operation-function.ts'

const period = Duration.minutes(5)
const sum = { statistic: Stats.SUM, period }

/** Alarms, a dashboard, a saved log query, and canary releases that the alarms roll back. */
export class Monitoring extends Construct {
  readonly #alarms: Alarms

  constructor(scope: Construct, id: string, monitored: Monitored) {
    super(scope, id)
    const { api, operations, storage, stage } = monitored
    this.#alarms = new Alarms(this, 'Alarms', stage)
    this.#addApiAlarms(api)
    for (const operation of operations) this.#addFunctionAlarm(operation)
    if (stage.release === 'canary') new CanaryRelease(this, 'Release', { operations, alarms: this.#alarms, stage })
    const access = operations.flatMap(({ entry }) => accessOf(entry))
    for (const [name, granted] of Map.groupBy(access, ({ table }) => table)) {
      const actions = new Set(granted.flatMap(({ actions }) => actions))
      this.#addTableAlarms(name, storage.tables[name], [...actions])
    }
    addDashboard(this, monitored)
    this.#saveQuery(operations.filter(({ entry }) => entry.deprecated))
  }

  #addApiAlarms({ restApi, accessLog }: Api): void {
    this.#alarm('ApiFails', percentage(restApi.metricServerError(sum), restApi.metricCount(sum)), 1, 1, [
      'More than 1 % of the requests got a 5xx response. 500 is a bug: the cause is in the log of the function. 502: a',
      'function crashed, timed out, or was throttled (see its Throttles alarm). 503: DynamoDB is slow, throttled or',
      'unavailable. 504: API Gateway timed out while it waited for a function.',
    ])
    this.#alarm('ApiSlow', restApi.metricLatency({ statistic: Stats.p(99), period }), 2000, 3, [
      'One request in 100 takes more than 2 s. Check the dashboard for many cold starts. If there are none, check whether',
      'DynamoDB is slow.',
    ])
    this.#alarm('ApiThrottles', this.#throttledRequests(accessLog), 0, 1, [
      'Callers got a 429. The access log shows who sends most of the requests. If they are legitimate, raise the throttle',
      'of the stage.',
    ])
  }

  #throttledRequests(logGroup: Api['accessLog']): Metric {
    const metric = { metricNamespace: Stack.of(this).stackName, metricName: 'ApiThrottled' }
    const filterPattern = FilterPattern.literal('{ $.status = "429" }')
    return new MetricFilter(this, 'ApiThrottled', { ...metric, logGroup, filterPattern }).metric(sum)
  }

  #addFunctionAlarm({ operationId, handler }: OperationFunction): void {
    this.#alarm(`${operationId}Throttles`, handler.metricThrottles(sum), 0, 1, [
      `Lambda throttled ${operationId}: the account or the function reached its limit of concurrent executions. Raise the`,
      'quota of the account, or the reservedConcurrency of the stage.',
    ])
  }

  #addTableAlarms(name: keyof typeof tables, table: ITable, actions: Action[]): void {
    this.#alarm(`${name}Throttles`, sumOver(actions, table, 'ThrottledRequests'), 0, 1, [
      `DynamoDB throttled the table ${name}: one partition gets too many requests, or traffic more than doubled at once.`,
      ...('byStatus' in tables[name].indexes
        ? ['If creates are the cause, raise readShards and, in a later release, writeShards.']
        : []),
    ])
    this.#alarm(`${name}SystemErrors`, sumOver(actions, table, 'SystemErrors'), 0, 1, [
      `DynamoDB had internal errors on the table ${name}; callers get a 503. Check the AWS Health Dashboard.`,
    ])
  }

  #alarm(name: string, metric: IMetric, above: number, periods: number, description: string[]): void {
    this.#alarms.add(name, { metric, above, periods, description: description.join(' ') })
  }

  /** Saves a CloudWatch Logs Insights query that lists the clients of deprecated operations, most calls first. */
  #saveQuery(deprecated: OperationFunction[]): void {
    if (deprecated.length === 0) return
    new QueryDefinition(this, 'DeprecatedCallers', {
      queryDefinitionName: `${Stack.of(this).stackName}/callers of deprecated operations`,
      logGroups: deprecated.map(({ logGroup }) => logGroup),
      queryString: new QueryString({
        filterStatements: ['ispresent(message.clientId)'],
        statsStatements: ['count(*) as calls, max(@timestamp) as last by message.operation, message.clientId'],
        sort: 'calls desc',
      }),
    })
  }
}

/** `part` as a percentage of `whole`. Without data if `whole` is zero. */
const percentage = (part: Metric, whole: Metric): MathExpression =>
  new MathExpression({ expression: '100 * part / whole', usingMetrics: { part, whole }, period, label: '%' })

/**
 * The sum of a metric that DynamoDB emits per action on a table. (Not for transactions, which have dimensions of their
 * own.) There is no data point for an action without errors, and a sum with a missing term is missing, so `FILL` makes
 * those zero. An alarm may have 10 metrics, which is enough for all actions.
 */
const sumOver = (actions: Action[], table: ITable, metricName: string): MathExpression => {
  const metricOf = (Operation: Action): Metric => {
    const dimensionsMap = { TableName: table.tableName, Operation }
    return table.metric(metricName, { dimensionsMap, statistic: Stats.SUM })
  }
  const ids = actions.map((action) => `${action.charAt(0).toLowerCase()}${action.slice(1)}`)
  return new MathExpression({
    expression: ids.map((id) => `FILL(${id}, 0)`).join(' + '),
    usingMetrics: Object.fromEntries(actions.map((action, i) => [ids[i], metricOf(action)])),
    period,
    label: metricName,
  })
}
