import { Duration } from 'aws-cdk-lib'
import { type Alarm, CfnAlarm, type IMetric, Stats } from 'aws-cdk-lib/aws-cloudwatch'
import { newAlarm } from './alarms.ts'
import { newFilter } from './metrics.ts'
import type { OperationFunction } from './operation-function.ts'

/**
 * Creates the alarms that stop a canary: the new version crashes, times out or returns 500. They
 * notify nobody, and use no metric math, which might not roll back while a series has no data.
 */
export const newVersionAlarms = (operation: OperationFunction): Alarm[] => {
  const rule = {
    evaluationPeriods: 1,
    alarmDescription: 'Stops the canary of this version.',
  }
  const alarms = [
    newAlarm(operation, 'Crashes', { ...rule, metric: crashes(operation) }),
    newAlarm(operation, 'Errors', { ...rule, metric: newInternalErrors(operation) }),
  ]
  for (const { node } of alarms)
    if (node.defaultChild instanceof CfnAlarm) node.defaultChild.warmUpConfiguration = warmUp
  return alarms
}

/**
 * Lets an updated alarm begin again. Otherwise, errors of the last version would stop the canary of
 * its fix.
 */
const warmUp = { warmUpPeriodDurationInMinutes: 1 }

/** In each minute. */
const SUM = { statistic: Stats.SUM, period: Duration.minutes(1) }

/** Lambda counts crashes and timeouts of a version, but not responses with status 500. */
const crashes = ({ alias, handler }: OperationFunction): IMetric =>
  alias.metric('Errors', {
    ...SUM,
    dimensionsMap: {
      FunctionName: handler.functionName,
      Resource: `${handler.functionName}:${alias.aliasName}`,
      ExecutedVersion: handler.currentVersion.version,
    },
  })

/** Counts those in the request log (`shared/pipeline/middleware/request-log.ts`). */
const newInternalErrors = (operation: OperationFunction): IMetric => {
  const { operationId, handler, logGroup } = operation
  const filter = newFilter(operation, '$.message.status = 500', {
    logGroup,
    metricName: 'InternalErrors',
    dimensions: { Operation: '$.message.operation', Version: '$.message.version' },
  })
  const { version } = handler.currentVersion
  return filter.metric({ ...SUM, dimensionsMap: { Operation: operationId, Version: version } })
}
