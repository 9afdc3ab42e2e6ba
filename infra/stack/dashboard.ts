import { Duration, Stack } from 'aws-cdk-lib'
import { Dashboard, GraphWidget, type IMetric, Stats } from 'aws-cdk-lib/aws-cloudwatch'
import type { ITable } from 'aws-cdk-lib/aws-dynamodb'
import type { Construct } from 'constructs'
import { type TableId, tableIds, tables } from '../../shared/data/tables.ts'
import type { Stage } from '../stages.ts'
import type { Api } from './api.ts'
import type { OperationFunction } from './operation-function.ts'
import type { Storage } from './storage.ts'

/** The parts of a deployment that are monitored. */
export type Monitored = { api: Api; operations: OperationFunction[]; storage: Storage; stage: Stage }

const period = Duration.minutes(5)
const sum = { statistic: Stats.SUM, period }

/** Adds a dashboard: traffic, errors, latency, cold starts, and the DynamoDB capacity that is billed. */
export const addDashboard = (scope: Construct, { api: { restApi }, operations, storage }: Monitored): void => {
  const creates = operations.filter(({ entry }) => entry.success.status === 201)
  const deprecated = operations.filter(({ entry }) => entry.deprecated)
  const p99 = { statistic: Stats.p(99), period }
  const graphs: Record<string, IMetric[]> = {
    Requests: [restApi.metricCount(sum)],
    Errors: [restApi.metricClientError(sum), restApi.metricServerError(sum)],
    'Latency (ms)': [50, 90, 99].map((percentile) => restApi.metricLatency({ ...p99, statistic: Stats.p(percentile) })),
    'Calls of each function': operations.map(({ handler }) => handler.metricInvocations(sum)),
    'Duration of each function, p99 (ms)': operations.map(({ handler }) => handler.metricDuration(p99)),
    'Cold starts': operations.map(({ metrics }) => metrics.init(Stats.SAMPLE_COUNT)),
    'Init of each function, average (ms)': operations.map(({ metrics }) => metrics.init(Stats.AVERAGE)),
    'Consumed capacity': tableIds.flatMap((id) => capacityOf(id, storage.tables[id])),
    'Resources created': creates.map(({ metrics }) => metrics.created()),
    'Calls of deprecated operations': deprecated.map(({ metrics }) => metrics.deprecatedCalls()),
  }
  const widgets = Object.entries(graphs)
    .filter(([, metrics]) => metrics.length > 0) // CloudWatch refuses a graph without metrics.
    .map(([title, left]) => new GraphWidget({ title, left, width: 8 }))
  new Dashboard(scope, 'Dashboard', { dashboardName: Stack.of(scope).stackName, widgets: [widgets] })
}

/** What a table and each of its indexes consumed: DynamoDB counts them apart. */
const capacityOf = (id: TableId, table: ITable): IMetric[] =>
  [{}, ...Object.keys(tables[id].indexes).map((index) => ({ GlobalSecondaryIndexName: index }))].flatMap((index) =>
    ['ConsumedReadCapacityUnits', 'ConsumedWriteCapacityUnits'].map((metricName) =>
      table.metric(metricName, { ...sum, dimensionsMap: { TableName: table.tableName, ...index } }),
    ),
  )
