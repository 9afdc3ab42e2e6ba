import { Duration, Stack } from 'aws-cdk-lib'
import { type IMetric, MathExpression, type Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch'
import { type ITable, Operation } from 'aws-cdk-lib/aws-dynamodb'
import { FilterPattern, MetricFilter, QueryDefinition, QueryString } from 'aws-cdk-lib/aws-logs'
import { Construct } from 'constructs'
import { tableNames, tables } from '../../shared/data/tables.ts'
import type { Stage } from '../stages.ts'
import { Alarms } from './alarms.ts'
import type { Api } from './api.ts'
import { releaseByCanary } from './canary-release.ts'
import { addDashboard, type Watched } from './dashboard.ts'
import type { OperationFunction } from './operation-function.ts'

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

/** `part` in percent of `whole`; nothing, where `whole` is nothing. */
export const percent = (part: Metric, whole: Metric): MathExpression =>
  new MathExpression({ expression: '100 * part / whole', usingMetrics: { part, whole }, period, label: '%' })

/**
 * A metric that DynamoDB keeps for each operation of a table, as one. It keeps none for an operation that is well, and
 * a sum with a missing part is missing (CDK's own `metric…ForOperations` are such sums): hence the zeros.
 */
export const sumOverOperations = (table: ITable, metricName: string): MathExpression => {
  const of = (operation: Operation): Metric =>
    table.metric(metricName, {
      dimensionsMap: { TableName: table.tableName, Operation: operation },
      statistic: Stats.SUM,
    })
  return new MathExpression({
    expression: 'FILL(getItem, 0) + FILL(putItem, 0) + FILL(query, 0)',
    usingMetrics: { getItem: of(Operation.GET_ITEM), putItem: of(Operation.PUT_ITEM), query: of(Operation.QUERY) },
    period,
    label: metricName,
  })
}

/** Saves a query that lists who still calls the deprecated operations, most calls first (CloudWatch Logs Insights). */
export const saveDeprecatedCallersQuery = (scope: Construct, operations: OperationFunction[]): void => {
  const deprecated = operations.filter(({ row }) => row.deprecated)
  if (deprecated.length === 0) return
  new QueryDefinition(scope, 'DeprecatedCallers', {
    queryDefinitionName: `${Stack.of(scope).stackName}/callers of deprecated operations`,
    logGroups: deprecated.map(({ logGroup }) => logGroup),
    queryString: new QueryString({
      filterStatements: ['ispresent(message.clientId)'],
      statsStatements: ['count(*) as calls, max(@timestamp) as last by message.operation, message.clientId'],
      sort: 'calls desc',
    }),
  })
}
