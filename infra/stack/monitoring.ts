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
import {
  type LogGroup,
  QueryDefinition,
  QueryString,
  type QueryStringProps,
} from 'aws-cdk-lib/aws-logs'
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
  constructor(scope: Construct, id: string, { api, operations, storage, stage }: Monitored) {
    super(scope, id)
    const metrics = newApiMetrics(this, api)
    const { all: alarms } = new Alarms(this, 'Alarms', { metrics, stage })
    const dashboard = new Dashboard(this, 'Dashboard', { dashboardName: Stack.of(this).stackName })
    const sortBy = AlarmStatusWidgetSortBy.STATE_UPDATED_TIMESTAMP
    dashboard.addWidgets(new AlarmStatusWidget({ title: 'Alarms', alarms, sortBy, width: 24 }))
    for (const [question, graphs] of Object.entries(
      dashboardGraphs(metrics, operations, storage),
    )) {
      const widgets = Object.entries(graphs).map(
        ([title, left]) => new GraphWidget({ title, left, width: 8 }),
      )
      dashboard.addWidgets(
        new TextWidget({ markdown: `## ${question}`, width: 24, height: 1 }),
        ...widgets,
      )
    }
    this.#saveQueries(operations, api.accessLog)
  }

  /** Saves queries for CloudWatch Logs Insights. */
  #saveQueries(operations: OperationFunction[], accessLog: LogGroup): void {
    const save = (id: string, name: string, logGroups: LogGroup[], query: QueryStringProps) =>
      new QueryDefinition(this, id, {
        queryDefinitionName: `${Stack.of(this).stackName}/${name}`,
        logGroups,
        queryString: new QueryString(query),
      })
    const logs = operations.map(({ logGroup }) => logGroup)
    save('InitTimes', 'init and duration of each function', logs, {
      filterStatements: ['type = "platform.report"'],
      statsStatements: [
        'count(*) as calls, pct(record.metrics.durationMs, 50) as p50, pct(record.metrics.durationMs, 99) as p99, ' +
          'count(record.metrics.initDurationMs) as coldStarts, pct(record.metrics.initDurationMs, 50) as initP50, ' +
          'pct(record.metrics.initDurationMs, 99) as initP99 by @log',
      ],
    })
    save('Calls', 'calls by operation and key', logs, {
      filterStatements: ['ispresent(message.keyId)'],
      statsStatements: [
        'count(*) as calls, max(@timestamp) as last by message.operation, message.keyId, message.clientId',
      ],
      sort: 'last desc',
    })
    // The access log has the address of each request; only the log of a function has the client.
    save('Refusals', 'refused requests by address, client and code', [accessLog, ...logs], {
      filterStatements: ['status like /^4/ or message.status like /^4/'],
      statsStatements: ['count(*) as requests by sourceIp, status, message.clientId, message.code'],
      sort: 'requests desc',
    })
  }
}

/** The graphs, by the question that they answer. A search also finds new tables and indexes. */
const dashboardGraphs = (api: ApiMetrics, operations: OperationFunction[], storage: Storage) => {
  const handlers = operations.map(({ handler }) => handler)
  const search = (where: string, metrics: string, statistic: string) => {
    const expression = `SEARCH('${where} MetricName=${metrics}', '${statistic}', 300)`
    return [new SearchExpression({ expression, label: '' })]
  }
  const tables = tableIds.map((id) => `"${storage.tables[id].tableName}"`).join(' OR ')
  const ofTables = (metrics: string, statistic: string) =>
    search(`Namespace="AWS/DynamoDB" TableName=(${tables})`, metrics, statistic)
  const inLogs = (metrics: string, statistic: string) =>
    search(`Namespace="${Stack.of(storage).stackName}"`, metrics, statistic)
  return {
    'Are customers hurt?': {
      '5xx': [api.unavailable, api.broken],
      'Latency (ms)': [50, 90, 99].map(api.latency),
      '429 (% of the requests)': [api.throttledPercentage],
    },
    'Which operation?': {
      '5xx of each operation': inLogs('"ServerErrors"', 'Sum'),
      'Calls of each function': handlers.map((each) => each.metricInvocations()),
      'Duration of each function, p99 (ms)': handlers.map((each) =>
        each.metricDuration({ statistic: Stats.p(99) }),
      ),
    },
    'Which cause?': {
      'Latency of DynamoDB, p99 (ms)': ofTables('"SuccessfulRequestLatency"', 'p99'),
      'Errors of DynamoDB': ofTables('("ThrottledRequests" OR "SystemErrors")', 'Sum'),
      // The samples are refused requests, retried ones included; the sum counts their items.
      'Conflicts of transactions': ofTables('"TransactionConflict"', 'SampleCount'),
      'Throttles of each function': handlers.map((each) => each.metricThrottles()),
    },
    'What is usual?': {
      Requests: [api.requests, api.refused],
      'Consumed capacity': ofTables(
        '("ConsumedReadCapacityUnits" OR "ConsumedWriteCapacityUnits")',
        'Sum',
      ),
    },
  }
}
