import { Aws, Stack } from 'aws-cdk-lib'
import {
  AlarmStatusWidget,
  Dashboard,
  GraphWidget,
  type IMetric,
  SearchExpression,
  Stats,
} from 'aws-cdk-lib/aws-cloudwatch'
import { CfnQueryDefinition, type LogGroup } from 'aws-cdk-lib/aws-logs'
import { Construct } from 'constructs'
import { tableIds } from '../../shared/data/tables.ts'
import type { Stage } from '../stages.ts'
import { newAlarms } from './alarms.ts'
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
    const dashboardName = `${Stack.of(this).stackName}-${Aws.REGION}` // One in the whole account.
    const scopeOfAlarms = new Construct(this, 'Alarms')
    const alarms = newAlarms(scopeOfAlarms, { metrics, stage, dashboardName })
    const dashboard = new Dashboard(this, 'Dashboard', { dashboardName })
    dashboard.addWidgets(new AlarmStatusWidget({ title: 'Alarms', alarms, width: 24 }))
    const graphs = { ...newApiGraphs(metrics, api), ...newCauseGraphs(operations, storage) }
    dashboard.addWidgets(
      ...Object.entries(graphs).map(([title, left]) => new GraphWidget({ title, left, width: 8 })),
    )
    const queries = Object.entries(newQueries(operations, api.accessLog))
    for (const [name, { logGroups, queryString }] of queries)
      new CfnQueryDefinition(this, name, {
        name: `${Stack.of(this).stackName}/${name}`,
        logGroupNames: logGroups.map(({ logGroupName }) => logGroupName),
        queryString,
      })
  }
}

type Query = { logGroups: LogGroup[]; queryString: string }

/** For CloudWatch Logs Insights, by name. Operators replace `ID` before they run one. */
const newQueries = (
  operations: OperationFunction[],
  accessLog: LogGroup,
): Record<string, Query> => {
  const ofFunctions = operations.map(({ logGroup }) => logGroup)
  // The access log has the address of each request; only the log of a function has the client.
  const all = [accessLog, ...ofFunctions]
  return {
    'calls by operation and key': {
      logGroups: ofFunctions,
      queryString: `filter ispresent(message.keyId)
        | stats count(*) as calls, max(@timestamp) as last
          by message.operation, message.keyId, message.clientId, message.keyEnds
        | sort last desc`,
    },
    'refused requests by address, client and code': {
      logGroups: all,
      queryString: `filter status like /^4/ or message.status like /^4/
        | stats count(*) as requests by sourceIp, status, message.clientId, message.code
        | sort requests desc`,
    },
    'by id': {
      logGroups: all,
      queryString: 'filter @message like "ID" | fields @timestamp, @log, @message',
    },
  }
}

/** The graphs by title: what callers notice, and at which operation. */
const newApiGraphs = (metrics: ApiMetrics, { restApi }: Api): Record<string, IMetric[]> => ({
  '5xx': [metrics.unavailable, metrics.broken, metrics.errors],
  'Latency (ms)': [50, 90, 99].map((percent) =>
    restApi.metricLatency({ statistic: Stats.p(percent) }),
  ),
  Requests: [metrics.requests, metrics.denied, metrics.invalid, metrics.throttled],
  '5xx of each operation': search(`"${Stack.of(restApi).stackName}"`, '"ServerErrors"', 'Sum'),
})

const newCauseGraphs = (
  operations: OperationFunction[],
  storage: Storage,
): Record<string, IMetric[]> => {
  const names = tableIds.map((id) => `"${storage.tables[id][0].tableName}"`).join(' OR ')
  const ofTables = `"AWS/DynamoDB" TableName=(${names})`
  const handlers = operations.map(({ handler }) => handler)
  return {
    'Duration of each function, p99 (ms)': handlers.map((each) =>
      each.metricDuration({ statistic: Stats.p(99) }),
    ),
    'Throttles of each function': handlers.map((each) => each.metricThrottles()),
    'Latency of DynamoDB, p99 (ms)': search(ofTables, '"SuccessfulRequestLatency"', 'p99'),
    'Errors of DynamoDB': search(ofTables, '("ThrottledRequests" OR "SystemErrors")', 'Sum'),
    // The samples are refused requests, retried ones included; the sum counts their items.
    'Conflicts of transactions': search(ofTables, '"TransactionConflict"', 'SampleCount'),
  }
}

/** Also finds the metrics of new tables and indexes. */
const search = (where: string, metrics: string, statistic: string): IMetric[] => {
  const expression = `SEARCH('Namespace=${where} MetricName=${metrics}', '${statistic}', 300)`
  return [new SearchExpression({ expression, label: '' })]
}
