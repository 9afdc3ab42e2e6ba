import { Stack } from 'aws-cdk-lib'
import {
  AlarmStatusWidget,
  AlarmStatusWidgetSortBy,
  Dashboard,
  GraphWidget,
  SearchExpression,
  Stats,
  TextWidget,
} from 'aws-cdk-lib/aws-cloudwatch'
import { QueryDefinition, QueryString, type QueryStringProps } from 'aws-cdk-lib/aws-logs'
import { Construct } from 'constructs'
import { tableIds } from '../../shared/data/tables.ts'
import type { Stage } from '../stages.ts'
import { Alarms } from './alarms.ts'
import type { Api } from './api.ts'
import { type ApiMetrics, newApiMetrics } from './metrics.ts'
import type { OperationFunction } from './operation-function.ts'
import type { Storage } from './storage.ts'

type Monitored = { api: Api; operations: OperationFunction[]; storage: Storage; stage: Stage }

/** Alarms, a dashboard, and saved log queries. */
export class Monitoring extends Construct {
  readonly alarms: Alarms

  constructor(scope: Construct, id: string, { api, operations, storage, stage }: Monitored) {
    super(scope, id)
    const metrics = newApiMetrics(this, api)
    this.alarms = new Alarms(this, 'Alarms', { metrics, operations, stage })
    const alarms = [...this.alarms.ofApi, ...[...this.alarms.ofVersions.values()].flat()]
    const dashboard = new Dashboard(this, 'Dashboard', { dashboardName: Stack.of(this).stackName })
    const sortBy = AlarmStatusWidgetSortBy.STATE_UPDATED_TIMESTAMP // Those that are on come first.
    dashboard.addWidgets(new AlarmStatusWidget({ title: 'Alarms', alarms, sortBy, width: 24 }))
    for (const [question, graphs] of Object.entries(graphsOf(metrics, operations, storage))) {
      const widgets = Object.entries(graphs).map(([title, left]) => new GraphWidget({ title, left, width: 8 }))
      dashboard.addWidgets(new TextWidget({ markdown: `## ${question}`, width: 24, height: 1 }), ...widgets)
    }
    this.#saveQueries(operations)
  }

  /** Saves queries for CloudWatch Logs Insights. */
  #saveQueries(all: OperationFunction[]): void {
    const deprecated = all.filter(({ entry }) => entry.deprecated)
    const save = (id: string, name: string, operations: OperationFunction[], query: QueryStringProps) =>
      new QueryDefinition(this, id, {
        queryDefinitionName: `${Stack.of(this).stackName}/${name}`,
        logGroups: operations.map(({ logGroup }) => logGroup),
        queryString: new QueryString(query),
      })
    save('InitTimes', 'init and duration of each function', all, {
      filterStatements: ['type = "platform.report"'],
      statsStatements: [
        'count(*) as calls, pct(record.metrics.durationMs, 50) as p50, pct(record.metrics.durationMs, 99) as p99, ' +
          'count(record.metrics.initDurationMs) as coldStarts, pct(record.metrics.initDurationMs, 50) as initP50, ' +
          'pct(record.metrics.initDurationMs, 99) as initP99 by @log',
      ],
    })
    save('CallsByKey', 'calls by key', all, {
      filterStatements: ['ispresent(message.keyId)'],
      statsStatements: ['count(*) as calls, max(@timestamp) as last by message.keyId, message.clientId'],
      sort: 'last desc',
    })
    if (deprecated.length === 0) return
    save('DeprecatedCallers', 'callers of deprecated operations', deprecated, {
      filterStatements: ['ispresent(message.clientId) and message.status != 403'],
      statsStatements: ['count(*) as calls, max(@timestamp) as last by message.operation, message.clientId'],
      sort: 'calls desc',
    })
  }
}

/** The graphs of the dashboard, by the question that they answer. A search also finds what is new, such as an index. */
const graphsOf = (api: ApiMetrics, operations: OperationFunction[], storage: Storage) => {
  const handlers = operations.map(({ handler }) => handler)
  const search = (where: string, metrics: string, statistic: string) => [
    new SearchExpression({ expression: `SEARCH('${where} MetricName=${metrics}', '${statistic}', 300)`, label: '' }),
  ]
  const tables = tableIds.map((id) => `"${storage.tables[id].tableName}"`).join(' OR ')
  const ofTables = (metrics: string, statistic: string) =>
    search(`Namespace="AWS/DynamoDB" TableName=(${tables})`, metrics, statistic)
  const inLogs = (metrics: string, statistic: string) =>
    search(`Namespace="${Stack.of(storage).stackName}"`, metrics, statistic)
  return {
    'Are customers hurt?': {
      '5xx (% of the requests)': [api.failed],
      'Latency (ms)': [50, 90, 99].map(api.latency),
      '429 (% of the requests)': [api.refused],
    },
    'Which operation?': {
      '5xx of each operation': [api.failedByOperation.with({ label: '' })],
      'Calls of each function': handlers.map((each) => each.metricInvocations()),
      'Duration of each function, p99 (ms)': handlers.map((each) => each.metricDuration({ statistic: Stats.p(99) })),
    },
    'Which cause?': {
      'Latency of DynamoDB, p99 (ms)': ofTables('"SuccessfulRequestLatency"', 'p99'),
      'Errors of DynamoDB': ofTables('("ThrottledRequests" OR "SystemErrors")', 'Sum'),
      // The samples are refused requests, those that the functions retried included. The sum is that of the items in them.
      'Conflicts of transactions': ofTables('"TransactionConflict"', 'SampleCount'),
      'Throttles of each function': handlers.map((each) => each.metricThrottles()),
      'Cold starts': inLogs('InitDuration', 'SampleCount'),
      'Init of each function, average (ms)': inLogs('InitDuration', 'Average'),
    },
    'What is usual?': {
      Requests: [api.requests, api.clientErrors],
      'Consumed capacity': ofTables('("ConsumedReadCapacityUnits" OR "ConsumedWriteCapacityUnits")', 'Sum'),
      'Resources created': inLogs('"Created"', 'Sum'),
      'Calls of deprecated operations': inLogs('"DeprecatedCalls"', 'Sum'),
    },
  }
}
