import { Duration, Stack } from 'aws-cdk-lib'
import { type Alarm, Dashboard, GraphWidget, type IMetric, MathExpression, Stats } from 'aws-cdk-lib/aws-cloudwatch'
import type { ITable } from 'aws-cdk-lib/aws-dynamodb'
import { FilterPattern, MetricFilter, QueryDefinition, QueryString, type QueryStringProps } from 'aws-cdk-lib/aws-logs'
import { Construct } from 'constructs'
import { type TableId, tableIds, tables } from '../../shared/data/tables.ts'
import { collections } from '../../shared/service.ts'
import type { Stage } from '../stages.ts'
import { Alarms } from './alarms.ts'
import type { Api } from './api.ts'
import type { OperationFunction } from './operation-function.ts'
import type { Storage } from './storage.ts'

/** The parts of a deployment that are monitored. */
type Monitored = { api: Api; operations: OperationFunction[]; storage: Storage; stage: Stage }

const period = Duration.minutes(5)
const sum = { statistic: Stats.SUM, period }

/** Alarms, a dashboard, and saved log queries. */
export class Monitoring extends Construct {
  /** The alarms for the newest version of each function. */
  readonly versionAlarms: ReadonlyMap<OperationFunction, Alarm[]>
  readonly #alarms: Alarms

  constructor(scope: Construct, id: string, monitored: Monitored) {
    super(scope, id)
    const { api, operations, storage, stage } = monitored
    this.#alarms = new Alarms(this, 'Alarms', stage)
    this.#addApiAlarms(api)
    for (const operation of operations) this.#addFunctionAlarm(operation)
    this.versionAlarms = new Map(operations.map((operation) => [operation, this.#alarms.addForVersion(operation)]))
    for (const id of tableIds) this.#addTableAlarms(id, storage.tables[id])
    this.#addDashboard(monitored)
    this.#saveQueries(operations)
  }

  #addApiAlarms({ restApi, accessLog }: Api): void {
    this.#alarms.add('ApiFails', {
      metric: percentage(restApi.metricServerError(sum), restApi.metricCount(sum)),
      above: 1,
      description:
        'More than 1 % of the requests got a 5xx response. 500 is a bug: the cause is in the log of the function. 502: a ' +
        'function crashed, timed out, or was throttled (see its Throttles alarm). 503: DynamoDB is slow, throttled or ' +
        'unavailable. 504: API Gateway timed out while it waited for a function.',
    })
    this.#alarms.add('ApiSlow', {
      metric: restApi.metricLatency({ statistic: Stats.p(99), period }),
      above: 2000,
      periods: 3,
      description:
        'One request in 100 takes more than 2 s. Check the dashboard for many cold starts. If there are none, check ' +
        'whether DynamoDB is slow.',
    })
    const metricOf429 = { metricNamespace: Stack.of(this).stackName, metricName: 'ApiThrottled' }
    const filterPattern = FilterPattern.literal('{ $.status = "429" }')
    const throttled = new MetricFilter(this, 'ApiThrottled', { ...metricOf429, logGroup: accessLog, filterPattern })
    this.#alarms.add('ApiThrottles', {
      metric: percentage(throttled.metric(sum), restApi.metricCount(sum)),
      above: 5,
      periods: 2,
      description:
        'For ten minutes, more than 5 % of the requests got a 429. The access log shows who sends most of the requests. If ' +
        'they are legitimate, raise the throttle of the stage. In a flood of them, API Gateway may send neither logs nor ' +
        'metrics: the alarm then stays silent, or ends too early.',
    })
  }

  #addFunctionAlarm({ operationId, handler }: OperationFunction): void {
    this.#alarms.add(`${operationId}Throttles`, {
      metric: handler.metricThrottles(sum),
      description:
        `Lambda throttled ${operationId}: the account or the function reached its limit of concurrent executions. Raise ` +
        'the quota of the account, or the reservedConcurrency of the stage.',
    })
  }

  #addTableAlarms(id: TableId, table: ITable): void {
    this.#alarms.add(`${id}Throttles`, {
      metric: sumOfOperations(table, 'ThrottledRequests'),
      description:
        `DynamoDB throttled the table ${id}: one partition gets too many requests, or traffic more than doubled at once.` +
        (id in collections ? ' If writes are the cause, raise readShards and, in a later release, writeShards.' : ''),
    })
    this.#alarms.add(`${id}SystemErrors`, {
      metric: sumOfOperations(table, 'SystemErrors'),
      description: `DynamoDB had internal errors on the table ${id}; callers get a 503. Check the AWS Health Dashboard.`,
    })
  }

  /** Adds a dashboard: traffic, errors, latency, cold starts, and the DynamoDB capacity that is billed. */
  #addDashboard({ api: { restApi }, operations, storage }: Monitored): void {
    const p99 = { statistic: Stats.p(99), period }
    const initOf = (statistic: string) => operations.map(({ metrics }) => metrics.init.with({ statistic }))
    const graphs: Record<string, IMetric[]> = {
      Requests: [restApi.metricCount(sum)],
      Errors: [restApi.metricClientError(sum), restApi.metricServerError(sum)],
      'Latency (ms)': [50, 90, 99].map((rank) => restApi.metricLatency({ statistic: Stats.p(rank), period })),
      'Calls of each function': operations.map(({ handler }) => handler.metricInvocations(sum)),
      'Duration of each function, p99 (ms)': operations.map(({ handler }) => handler.metricDuration(p99)),
      'Cold starts': initOf(Stats.SAMPLE_COUNT),
      'Init of each function, average (ms)': initOf(Stats.AVERAGE),
      'Consumed capacity': tableIds.flatMap((id) => capacityOf(id, storage.tables[id])),
      'Conflicts of transactions': tableIds.map((id) => storage.tables[id].metric('TransactionConflict', sum)),
      'Resources created': operations.flatMap(({ metrics }) => metrics.created ?? []),
      'Calls of deprecated operations': operations.flatMap(({ metrics }) => metrics.deprecatedCalls ?? []),
    }
    const widgets = Object.entries(graphs)
      .filter(([, metrics]) => metrics.length > 0) // CloudWatch refuses a graph without metrics.
      .map(([title, left]) => new GraphWidget({ title, left, width: 8 }))
    new Dashboard(this, 'Dashboard', { dashboardName: Stack.of(this).stackName, widgets: [widgets] })
  }

  /** Saves queries for CloudWatch Logs Insights. */
  #saveQueries(operations: OperationFunction[]): void {
    this.#saveQuery('InitTimes', 'init and duration of each function', operations, {
      filterStatements: ['type = "platform.report"'],
      statsStatements: [
        'count(*) as calls, pct(record.metrics.durationMs, 50) as p50, pct(record.metrics.durationMs, 99) as p99, ' +
          'count(record.metrics.initDurationMs) as coldStarts, pct(record.metrics.initDurationMs, 50) as initP50, ' +
          'pct(record.metrics.initDurationMs, 99) as initP99 by @log',
      ],
    })
    this.#saveQuery('CallsByKey', 'calls by key', operations, {
      filterStatements: ['ispresent(message.keyId)'],
      statsStatements: ['count(*) as calls, max(@timestamp) as last by message.keyId, message.clientId'],
      sort: 'last desc',
    })
    const deprecated = operations.filter(({ entry }) => entry.deprecated)
    this.#saveQuery('DeprecatedCallers', 'callers of deprecated operations', deprecated, {
      filterStatements: ['ispresent(message.clientId) and message.status != 403'],
      statsStatements: ['count(*) as calls, max(@timestamp) as last by message.operation, message.clientId'],
      sort: 'calls desc',
    })
  }

  #saveQuery(id: string, name: string, operations: OperationFunction[], query: QueryStringProps): void {
    if (operations.length === 0) return
    new QueryDefinition(this, id, {
      queryDefinitionName: `${Stack.of(this).stackName}/${name}`,
      logGroups: operations.map(({ logGroup }) => logGroup),
      queryString: new QueryString(query),
    })
  }
}

/** `part` as a percentage of `whole`. Without data if `whole` is zero. */
const percentage = (part: IMetric, whole: IMetric): MathExpression =>
  new MathExpression({ expression: '100 * part / whole', usingMetrics: { part, whole }, period, label: '%' })

/**
 * The sum of a metric that DynamoDB emits for each operation on a table, such as Query or TransactWriteItems: of all
 * operations, so that none is forgotten. Without data if there are no errors.
 */
const sumOfOperations = (table: ITable, metricName: string): MathExpression =>
  new MathExpression({
    expression:
      `SELECT SUM(${metricName}) FROM SCHEMA("AWS/DynamoDB", Operation, TableName) ` +
      `WHERE TableName = '${table.tableName}'`,
    period,
    label: metricName,
  })

/** What a table and each of its indexes consumed: DynamoDB counts them apart. */
const capacityOf = (id: TableId, table: ITable): IMetric[] =>
  [{}, ...Object.keys(tables[id].indexes).map((index) => ({ GlobalSecondaryIndexName: index }))].flatMap((index) =>
    ['ConsumedReadCapacityUnits', 'ConsumedWriteCapacityUnits'].map((metricName) =>
      table.metric(metricName, { ...sum, dimensionsMap: { TableName: table.tableName, ...index } }),
    ),
  )
