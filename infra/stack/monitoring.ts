import { Aws, Stack } from 'aws-cdk-lib'
import {
  AlarmStatusWidget,
  AlarmStatusWidgetSortBy,
  Dashboard,
  GraphWidget,
  type IMetric,
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
    const dashboardName = `${Stack.of(this).stackName}-${Aws.REGION}` // One in the whole account.
    const { all: alarms } = new Alarms(this, 'Alarms', { metrics, stage, dashboardName })
    const dashboard = new Dashboard(this, 'Dashboard', { dashboardName })
    const sortBy = AlarmStatusWidgetSortBy.STATE_UPDATED_TIMESTAMP
    dashboard.addWidgets(new AlarmStatusWidget({ title: 'Alarms', alarms, sortBy, width: 24 }))
    const questions = Object.entries(newGraphs(metrics, { api, operations, storage }))
    for (const [question, graphs] of questions)
      dashboard.addWidgets(
        new TextWidget({ markdown: `## ${question}`, width: 24, height: 1 }),
        ...Object.entries(graphs).map(
          ([title, left]) => new GraphWidget({ title, left, width: 8 }),
        ),
      )
    for (const { id, name, logGroups, ...query } of newQueries(operations, api.accessLog))
      new QueryDefinition(this, id, {
        queryDefinitionName: `${Stack.of(this).stackName}/${name}`,
        logGroups,
        queryString: new QueryString(query),
      })
  }
}

type Query = { id: string; name: string; logGroups: LogGroup[] } & QueryStringProps

/** Queries for CloudWatch Logs Insights. Operators replace `ID` before they run one. */
const newQueries = (operations: OperationFunction[], accessLog: LogGroup): Query[] => {
  const logGroups = operations.map(({ logGroup }) => logGroup)
  return [
    {
      id: 'Calls',
      name: 'calls by operation and key',
      logGroups,
      filterStatements: ['ispresent(message.keyId)'],
      statsStatements: [
        'count(*) as calls, max(@timestamp) as last ' +
          'by message.operation, message.keyId, message.clientId',
      ],
      sort: 'last desc',
    },
    {
      id: 'Refusals',
      name: 'refused requests by address, client and code',
      // The access log has the address of each request; only the log of a function has the client.
      logGroups: [accessLog, ...logGroups],
      filterStatements: ['status like /^4/ or message.status like /^4/'],
      statsStatements: ['count(*) as requests by sourceIp, status, message.clientId, message.code'],
      sort: 'requests desc',
    },
    {
      id: 'Request',
      name: 'by request id',
      logGroups: [accessLog, ...logGroups],
      filterStatements: ['@message like "ID"'],
      fields: ['@timestamp', '@log', '@message'],
    },
    {
      id: 'Changes',
      name: 'who changed an id',
      logGroups,
      filterStatements: ['message.ids like "ID" and message.method != "GET"'],
      fields: ['@timestamp', 'message.operation', 'message.status', 'message.clientId'],
    },
    {
      id: 'EndingKeys',
      name: 'keys that end within 14 days',
      logGroups,
      filterStatements: ['ispresent(message.keyEnds)'],
      statsStatements: ['count(*) as calls by message.keyEnds, message.keyId, message.clientId'],
      sort: 'message.keyEnds',
    },
  ]
}

type Graphs = Record<string, IMetric[]>

/** The graphs by question and title. */
const newGraphs = (
  metrics: ApiMetrics,
  { api, operations, storage }: Omit<Monitored, 'stage'>,
): Record<string, Graphs> => {
  const names = tableIds.map((id) => `"${storage.tables[id].current.tableName}"`).join(' OR ')
  const ofTables = `Namespace="AWS/DynamoDB" TableName=(${names})`
  const ofAccessLog = `Namespace="${Stack.of(storage).stackName}"`
  const handlers = operations.map(({ handler }) => handler)
  return {
    'Are customers hurt?': {
      '5xx': [metrics.unavailable, metrics.broken, metrics.errors],
      'Latency (ms)': [50, 90, 99].map((percent) =>
        api.restApi.metricLatency({ statistic: Stats.p(percent) }),
      ),
      Requests: [metrics.requests, metrics.denied, metrics.invalid, metrics.throttled],
    },
    'Which operation?': {
      '5xx of each operation': search(ofAccessLog, '"ServerErrors"', 'Sum'),
      'Duration of each function, p99 (ms)': handlers.map((each) =>
        each.metricDuration({ statistic: Stats.p(99) }),
      ),
    },
    'Which cause?': {
      'Latency of DynamoDB, p99 (ms)': search(ofTables, '"SuccessfulRequestLatency"', 'p99'),
      'Errors of DynamoDB': search(ofTables, '("ThrottledRequests" OR "SystemErrors")', 'Sum'),
      // The samples are refused requests, retried ones included; the sum counts their items.
      'Conflicts of transactions': search(ofTables, '"TransactionConflict"', 'SampleCount'),
      'Throttles of each function': handlers.map((each) => each.metricThrottles()),
    },
  }
}

/** Also finds the metrics of new tables and indexes. */
const search = (where: string, metrics: string, statistic: string): IMetric[] => {
  const expression = `SEARCH('${where} MetricName=${metrics}', '${statistic}', 300)`
  return [new SearchExpression({ expression, label: '' })]
}
