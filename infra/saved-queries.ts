import { Stack } from 'aws-cdk-lib'
import { QueryDefinition, QueryString } from 'aws-cdk-lib/aws-logs'
import type { Construct } from 'constructs'
import type { OperationFunction } from './operation-function.ts'

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
