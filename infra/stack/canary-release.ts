import { Duration, Validations } from 'aws-cdk-lib'
import { Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch'
import { LambdaDeploymentConfig, LambdaDeploymentGroup } from 'aws-cdk-lib/aws-codedeploy'
import { acceptedFindings } from './accepted-findings.ts'
import type { Alarms } from './alarms.ts'
import type { OperationFunction } from './operation-function.ts'

/**
 * Gives a new version of a function 10 % of the requests for 5 minutes and then all, and rolls it back when it crashes,
 * returns 500 or is slow. A 503 does not count: a slow database is not the version's fault.
 */
export const releaseByCanary = (operation: OperationFunction, alarms: Alarms): void => {
  const { operationId, alias, handler, metrics } = operation
  const description =
    `The new version of ${operationId} crashes, returns 500 or is slow. During a release, CodeDeploy rolls it back by ` +
    'itself; later, roll it back by hand. Filter its log for status 500, and check what changed in the last release.'
  const add = (name: string, metric: Metric, above: number, periods: number) =>
    alarms.add(`${operationId}${name}`, { metric, above, periods, description })
  const group = new LambdaDeploymentGroup(operation, 'Release', {
    alias,
    deploymentConfig: LambdaDeploymentConfig.CANARY_10PERCENT_5MINUTES,
    alarms: [
      add('Crashes', newVersionMetric(operation, 'Errors', Stats.SUM), 0, 1),
      add('InternalErrors', metrics.internalErrors(handler.currentVersion.version), 0, 1),
      // A version that respects the two time limits, 3 s for the key check and 3 s for the operation, takes no longer.
      add('Slow', newVersionMetric(operation, 'Duration', Stats.p(99)), 7000, 2),
    ],
  })
  Validations.of(group).acknowledge(...acceptedFindings.release)
}

const newVersionMetric = ({ alias, handler }: OperationFunction, metricName: string, statistic: string): Metric =>
  new Metric({
    namespace: 'AWS/Lambda',
    metricName,
    statistic,
    period: Duration.minutes(1),
    dimensionsMap: {
      FunctionName: handler.functionName,
      Resource: `${handler.functionName}:${alias.aliasName}`,
      ExecutedVersion: handler.currentVersion.version,
    },
  })
