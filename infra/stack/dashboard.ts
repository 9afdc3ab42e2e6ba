import { Duration, Stack } from 'aws-cdk-lib'
import { Dashboard, GraphWidget, type IMetric, Stats } from 'aws-cdk-lib/aws-cloudwatch'
import type { Construct } from 'constructs'
import type { Stage } from '../stages.ts'
import type { Api } from './api.ts'
import type { OperationFunction } from './operation-function.ts'
import type { Storage } from './storage.ts'

/** What is watched: the parts of a deployment. */
export type Watched = { api: Api; operations: OperationFunction[]; storage: Storage; stage: Stage }

const period = Duration.minutes(5)
const sum = { statistic: Stats.SUM, period }

/** One page of what a deployment does: traffic, errors, latency, cold starts, and what DynamoDB is paid for. */
export const addDashboard = (scope: Construct, { api: { api }, operations, storage }: Watched): void => {
  const tables = Object.values(storage.tables)
  const latency = [50, 90, 99].map((percentile) => api.metricLatency({ statistic: Stats.p(percentile), period }))
  const durations = operations.map(({ handler }) => handler.metricDuration({ statistic: Stats.p(99), period }))
  new Dashboard(scope, 'Dashboard', {
    dashboardName: Stack.of(scope).stackName,
    widgets: [
      [
        graph('Requests', [api.metricCount(sum)]),
        graph('Errors', [api.metricClientError(sum), api.metricServerError(sum)]),
        graph('Latency (ms)', latency),
      ],
      [
        graph(
          'Calls of each function',
          operations.map(({ handler }) => handler.metricInvocations(sum)),
        ),
        graph('Duration of each function, p99 (ms)', durations),
        graph(
          'Cold starts',
          operations.map(({ metrics }) => metrics.coldStarts()),
        ),
      ],
      [
        graph(
          'Pets created',
          operations.filter(({ row }) => row.success.status === 201).map(({ metrics }) => metrics.created()),
        ),
        graph(
          'Calls of deprecated operations',
          operations.filter(({ row }) => row.deprecated).map(({ metrics }) => metrics.deprecatedCalls()),
        ),
        graph(
          'Consumed capacity',
          tables.flatMap((table) => [
            table.metricConsumedReadCapacityUnits(sum),
            table.metricConsumedWriteCapacityUnits(sum),
          ]),
        ),
      ],
    ],
  })
}

const graph = (title: string, left: IMetric[]): GraphWidget => new GraphWidget({ title, left, width: 8 })
