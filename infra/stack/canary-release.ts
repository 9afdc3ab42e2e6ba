import { fileURLToPath } from 'node:url'
import { Duration, Validations } from 'aws-cdk-lib'
import { type Alarm, Stats } from 'aws-cdk-lib/aws-cloudwatch'
import {
  LambdaApplication,
  LambdaDeploymentConfig,
  LambdaDeploymentGroup,
} from 'aws-cdk-lib/aws-codedeploy'
import { ManagedPolicy, Policy, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import { NodejsFunction } from 'aws-cdk-lib/aws-lambda-nodejs'
import type { LogGroup } from 'aws-cdk-lib/aws-logs'
import { Construct } from 'constructs'
import { settings } from '../../shared/settings.ts'
import type { Stage } from '../stages.ts'
import { newAlarm } from './alarms.ts'
import { newInternalErrors } from './metrics.ts'
import { commonProps, type OperationFunction, roleProps } from './operation-function.ts'
import type { Storage } from './storage.ts'

/** `logGroup` is for the hook. */
type ReleaseProps = {
  operations: OperationFunction[]
  logGroup: LogGroup
  storage: Storage
  stage: Stage
}

/**
 * Releases new versions step by step. First, a hook checks each of them (release-hook.ts). Then
 * they get 10 % of the requests for 10 minutes, and then all, because metrics are up to three
 * minutes late. A version that crashes, times out or returns 500 is rolled back. A 503 does not
 * count: a slow database is not the version's fault.
 *
 * CloudFormation changes an alias last, because that starts a deployment. The order is:
 *
 * 1. CodeDeploy's role, alarms and new versions;
 * 2. deployment groups;
 * 3. the hook's rights to report to them, and to invoke the versions;
 * 4. the hook;
 * 5. CodeDeploy's right to invoke it;
 * 6. aliases.
 */
export class CanaryRelease extends Construct {
  constructor(scope: Construct, id: string, props: ReleaseProps) {
    super(scope, id)
    const { operations } = props
    const hook = this.#newHook(props)
    const role = this.#newRole(hook)
    const application = new LambdaApplication(this, 'Application')
    for (const operation of operations) {
      new LambdaDeploymentGroup(operation, 'Release', {
        application,
        alias: operation.alias,
        deploymentConfig: LambdaDeploymentConfig.CANARY_10PERCENT_10MINUTES,
        alarms: newVersionAlarms(operation),
        preHook: hook,
        role,
      })
      // Also when CloudFormation rolls back: the hook then knows the old versions again.
      operation.alias.node.addDependency(this)
    }
  }

  #newHook({ operations, logGroup, storage, stage }: ReleaseProps) {
    const versions = operations.map(({ handler }) => handler.currentVersion.functionArn)
    const putKeys = storage.grant({ table: 'apiKeys', actions: ['PutItem'] })
    const invoke = new PolicyStatement({ actions: ['lambda:InvokeFunction'], resources: versions })
    return new NodejsFunction(this, 'Hook', {
      ...commonProps({ ...stage, stockClient: true }, logGroup), // Nobody waits for its cold start.
      entry: fileURLToPath(new URL('release-hook.ts', import.meta.url)),
      // Enough to check 20 versions one after another in a busy account.
      timeout: Duration.minutes(5),
      memorySize: 256,
      environment: {
        ...putKeys.environment,
        NEW_VERSIONS: versions.join(','),
        [settings.keyPrefix]: stage.keyPrefix,
      },
      role: new Role(this, 'HookRole', roleProps('Hook', [putKeys.statement, invoke], logGroup)),
    })
  }

  /** Its right to invoke the hook is a separate policy: in the role, it would make a cycle. */
  #newRole(hook: NodejsFunction) {
    const policy = 'service-role/AWSCodeDeployRoleForLambdaLimited'
    const role = new Role(this, 'Role', {
      assumedBy: new ServicePrincipal('codedeploy.amazonaws.com'),
      managedPolicies: [ManagedPolicy.fromAwsManagedPolicyName(policy)],
    })
    Validations.of(role).acknowledge({
      id: `AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/${policy}]`,
      reason:
        'AWS maintains what CodeDeploy needs; this is the smaller of its two policies for Lambda.',
    })
    const statements = [
      new PolicyStatement({ actions: ['lambda:InvokeFunction'], resources: [hook.functionArn] }),
    ]
    new Policy(this, 'InvokeHook', { roles: [role], statements })
    // CDK would add the right to invoke every version of the hook.
    return role.withoutPolicyUpdates()
  }
}

/**
 * The alarms that stop a canary: the version crashes, times out or returns 500. They notify nobody.
 * They use no metric math, which might not roll back while a series has no data.
 */
const newVersionAlarms = (operation: OperationFunction): Alarm[] => {
  const { alias, handler } = operation
  const dimensionsMap = {
    FunctionName: handler.functionName,
    Resource: `${handler.functionName}:${alias.aliasName}`,
    ExecutedVersion: handler.currentVersion.version,
  }
  // Lambda counts a timeout as an error, but not a 500.
  const crashes = alias.metric('Errors', {
    statistic: Stats.SUM,
    period: Duration.minutes(1),
    dimensionsMap,
  })
  const internalErrors = newInternalErrors(operation)
  const rule = {
    threshold: 0,
    evaluationPeriods: 1,
    alarmDescription: 'Stops the canary of this version.',
  }
  return [
    newAlarm(operation, 'Crashes', { ...rule, metric: crashes }),
    newAlarm(operation, 'Errors', { ...rule, metric: internalErrors }),
  ]
}
