import { Duration, Validations } from 'aws-cdk-lib'
import { Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch'
import { LambdaDeploymentConfig, LambdaDeploymentGroup } from 'aws-cdk-lib/aws-codedeploy'
import { acceptedFindings } from './accepted-findings.ts'
import type { Alarms } from './alarms.ts'
import type { OperationFunction } from './operation-function.ts'

/**
 * Gives a new version of a function 10 % of the requests for 5 minutes, then all; and takes it back when it fails or is
 * slow. A 503 is no failure: the database being slow is not the version's fault.
 */
export const releaseByCanary = (operation: OperationFunction, alarms: Alarms): void => {
  const { operationId, alias, handler, metrics } = operation
  const lookAt = `A new version of ${operationId} was taken back, or should be. Look at its log, with a filter on status 500, and at what was deployed last.`
  const rule = { periods: 1, lookAt }
  const group = new LambdaDeploymentGroup(operation, 'Release', {
    alias,
    deploymentConfig: LambdaDeploymentConfig.CANARY_10PERCENT_5MINUTES,
    alarms: [
      alarms.add(`${operationId}Crashes`, { ...rule, metric: ofNewVersion(operation, 'Errors', Stats.SUM), above: 0 }),
      alarms.add(`${operationId}InternalErrors`, {
        ...rule,
        metric: metrics.internalErrors(handler.currentVersion.version),
        above: 0,
      }),
      alarms.add(`${operationId}Slow`, {
        ...rule,
        metric: ofNewVersion(operation, 'Duration', Stats.p(99)),
        above: 3000, // milliseconds; what a budget of DynamoDB's that ran out takes.
        periods: 2,
      }),
    ],
  })
  Validations.of(group).acknowledge(...acceptedFindings.release)
}

const ofNewVersion = ({ alias, handler }: OperationFunction, metricName: string, statistic: string): Metric =>
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
