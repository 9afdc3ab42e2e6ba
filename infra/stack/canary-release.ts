import { fileURLToPath } from 'node:url'
import { Aws, Duration } from 'aws-cdk-lib'
import { type Alarm, CfnAlarm, type IMetric, Stats } from 'aws-cdk-lib/aws-cloudwatch'
import {
  LambdaApplication,
  LambdaDeploymentConfig,
  LambdaDeploymentGroup,
} from 'aws-cdk-lib/aws-codedeploy'
import { type IRole, ManagedPolicy, PolicyDocument, ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import { Construct } from 'constructs'
import { settings } from '../../shared/settings.ts'
import type { Stage } from '../stages.ts'
import { newAlarm } from './alarms.ts'
import { newFilter } from './metrics.ts'
import type { OperationFunction } from './operation-function.ts'
import { allow, newRole, ServiceFunction } from './service-function.ts'
import type { Storage } from './storage.ts'

type ReleaseProps = { operations: OperationFunction[]; storage: Storage; stage: Stage }

/**
 * Releases new versions step by step. First, a hook checks each of them (release-hook.ts). Then
 * they get 10 % of the requests for 10 minutes, which is enough although metrics are up to three
 * minutes late, and then all. A version that crashes, times out or returns 500 is rolled back. A
 * 503 does not count: a slow database is not the version's fault.
 */
export class CanaryRelease extends Construct {
  constructor(scope: Construct, id: string, props: ReleaseProps) {
    super(scope, id)
    const application = new LambdaApplication(this, 'Application')
    const hook = newHook(this, application, props)
    const role = newReleaseRole(this, hook)
    for (const operation of props.operations) {
      new LambdaDeploymentGroup(operation, 'Release', {
        application,
        alias: operation.alias,
        deploymentConfig: LambdaDeploymentConfig.CANARY_10PERCENT_10MINUTES,
        alarms: newVersionAlarms(operation),
        preHook: hook.handler,
        role,
      })
      // An alias that changes starts a deployment, which calls the hook. So the hook first gets its
      // versions; in a rollback of CloudFormation, the old ones.
      operation.alias.node.addDependency(this)
    }
  }
}

const newHook = (
  scope: Construct,
  application: LambdaApplication,
  { operations, storage, stage }: ReleaseProps,
): ServiceFunction => {
  const groups =
    `arn:${Aws.PARTITION}:codedeploy:${Aws.REGION}:${Aws.ACCOUNT_ID}:deploymentgroup:` +
    `${application.applicationName}/*`
  const putKeys = storage.grant({ table: 'apiKeys', actions: ['PutItem'] })
  const versions = operations.map(({ handler }) => handler.currentVersion)
  const names = versions.map(({ lambda, version }) => `${lambda.functionName}:${version}`)
  return new ServiceFunction(scope, 'Hook', {
    stage: { ...stage, dynamoDBClient: 'sdk' }, // Nobody waits for its cold start.
    entry: fileURLToPath(new URL('release-hook.ts', import.meta.url)),
    policyName: 'Hook',
    statements: [
      putKeys.statement,
      allow(
        ['lambda:InvokeFunction'],
        versions.map(({ functionArn }) => functionArn),
      ),
      allow(['codedeploy:PutLifecycleEventHookExecutionStatus'], [groups]),
    ],
    environment: {
      ...putKeys.environment,
      [settings.keyPrefix]: stage.keyPrefix,
      NEW_VERSIONS: names.join(), // No ARNs: a function has 4 KB for all its variables.
    },
    timeout: Duration.minutes(5), // For all versions, one after another, in a busy account.
    memorySize: 256,
  })
}

const newReleaseRole = (scope: Construct, { handler }: ServiceFunction): IRole => {
  const policy = 'service-role/AWSCodeDeployRoleForLambdaLimited'
  const statements = [allow(['lambda:InvokeFunction'], [handler.functionArn])]
  return newRole(scope, 'Role', {
    assumedBy: new ServicePrincipal('codedeploy.amazonaws.com'),
    managedPolicies: [ManagedPolicy.fromAwsManagedPolicyName(policy)],
    inlinePolicies: { Hook: new PolicyDocument({ statements }) },
  })
}

/**
 * Creates the alarms that stop a canary: the new version crashes, times out or returns 500. They
 * notify nobody, and use no metric math, which might not roll back while a series has no data.
 */
const newVersionAlarms = (operation: OperationFunction): Alarm[] =>
  Object.entries({
    Crashes: crashes(operation),
    Errors: newInternalErrors(operation),
  }).map(([id, metric]) => {
    const alarmDescription = 'Stops the canary of this version.'
    const alarm = newAlarm(operation, id, { metric, evaluationPeriods: 1, alarmDescription })
    // An updated alarm begins again: errors of the last version do not stop the canary of its fix.
    if (alarm.node.defaultChild instanceof CfnAlarm)
      alarm.node.defaultChild.warmUpConfiguration = { warmUpPeriodDurationInMinutes: 1 }
    return alarm
  })

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
