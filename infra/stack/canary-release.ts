import { fileURLToPath } from 'node:url'
import { ArnFormat, Duration, Stack } from 'aws-cdk-lib'
import { type Alarm, Stats } from 'aws-cdk-lib/aws-cloudwatch'
import {
  LambdaApplication,
  LambdaDeploymentConfig,
  LambdaDeploymentGroup,
} from 'aws-cdk-lib/aws-codedeploy'
import {
  ManagedPolicy,
  PolicyDocument,
  PolicyStatement,
  Role,
  ServicePrincipal,
} from 'aws-cdk-lib/aws-iam'
import { NodejsFunction } from 'aws-cdk-lib/aws-lambda-nodejs'
import { Construct } from 'constructs'
import { settings } from '../../shared/settings.ts'
import type { Stage } from '../stages.ts'
import { newAlarm } from './alarms.ts'
import { newInternalErrors } from './metrics.ts'
import {
  commonProps,
  newLogGroup,
  type OperationFunction,
  roleProps,
} from './operation-function.ts'
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
    const hook = this.#newHook(application, props)
    const role = this.#newRole(hook)
    for (const operation of props.operations) {
      new LambdaDeploymentGroup(operation, 'Release', {
        application,
        alias: operation.alias,
        deploymentConfig: LambdaDeploymentConfig.CANARY_10PERCENT_10MINUTES,
        alarms: newVersionAlarms(operation),
        preHook: hook,
        role,
      })
      // An alias that changes starts a deployment, which calls the hook. So the hook first gets its
      // versions; in a rollback of CloudFormation, the old ones.
      operation.alias.node.addDependency(this)
    }
  }

  #newHook(application: LambdaApplication, { operations, storage, stage }: ReleaseProps) {
    const logGroup = newLogGroup(this, 'Logs', stage)
    const putKeys = storage.use({ table: 'apiKeys', actions: ['PutItem'] })
    const versions = operations.map(({ handler }) => handler.currentVersion)
    const names = versions.map(({ lambda, version }) => `${lambda.functionName}:${version}`)
    const groups = Stack.of(this).formatArn({
      service: 'codedeploy',
      resource: 'deploymentgroup',
      resourceName: `${application.applicationName}/*`,
      arnFormat: ArnFormat.COLON_RESOURCE_NAME,
    })
    const statements = [
      putKeys.statement,
      allow('lambda:InvokeFunction', ...versions.map(({ functionArn }) => functionArn)),
      allow('codedeploy:PutLifecycleEventHookExecutionStatus', groups),
    ]
    const role = new Role(this, 'HookRole', roleProps('Hook', statements, logGroup))
    const environment = {
      ...putKeys.environment,
      [settings.keyPrefix]: stage.keyPrefix,
      NEW_VERSIONS: names.join(), // No ARNs: a function has 4 KB for all its variables.
    }
    return new NodejsFunction(this, 'Hook', {
      ...commonProps({ ...stage, stockClient: true }, logGroup), // Nobody waits for its cold start.
      entry: fileURLToPath(new URL('release-hook.ts', import.meta.url)),
      timeout: Duration.minutes(5), // For all versions, one after another, in a busy account.
      memorySize: 256,
      environment,
      // CDK would add a right for each group, and a role has 10,240 characters for all its rights.
      role: role.withoutPolicyUpdates(),
    })
  }

  /** Creates the role of CodeDeploy. */
  #newRole(hook: NodejsFunction) {
    const statements = [allow('lambda:InvokeFunction', hook.functionArn)]
    const role = new Role(this, 'Role', {
      assumedBy: new ServicePrincipal('codedeploy.amazonaws.com'),
      managedPolicies: [
        ManagedPolicy.fromAwsManagedPolicyName('service-role/AWSCodeDeployRoleForLambdaLimited'),
      ],
      inlinePolicies: { Hook: new PolicyDocument({ statements }) },
    })
    // CDK would add the right to invoke every version of the hook.
    return role.withoutPolicyUpdates()
  }
}

const allow = (action: string, ...resources: string[]) =>
  new PolicyStatement({ actions: [action], resources })

/**
 * The alarms that stop a canary: the version crashes, times out or returns 500. They notify nobody.
 * They use no metric math, which might not roll back while a series has no data.
 */
const newVersionAlarms = (operation: OperationFunction): Alarm[] => {
  const { alias, handler } = operation
  const rule = {
    threshold: 0,
    evaluationPeriods: 1,
    alarmDescription: 'Stops the canary of this version.',
  }
  // Lambda counts a timeout as an error, but not a 500.
  const crashes = alias.metric('Errors', {
    statistic: Stats.SUM,
    period: Duration.minutes(1),
    dimensionsMap: {
      FunctionName: handler.functionName,
      Resource: `${handler.functionName}:${alias.aliasName}`,
      ExecutedVersion: handler.currentVersion.version,
    },
  })
  return [
    newAlarm(operation, 'Crashes', { ...rule, metric: crashes }),
    newAlarm(operation, 'Errors', { ...rule, metric: newInternalErrors(operation) }),
  ]
}
