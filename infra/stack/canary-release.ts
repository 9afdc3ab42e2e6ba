import { fileURLToPath } from 'node:url'
import { Aws, Duration } from 'aws-cdk-lib'
import {
  LambdaApplication,
  LambdaDeploymentConfig,
  LambdaDeploymentGroup,
} from 'aws-cdk-lib/aws-codedeploy'
import { type IRole, ManagedPolicy, PolicyDocument, ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import { Construct } from 'constructs'
import { settings } from '../../shared/settings.ts'
import type { Stage } from '../stages.ts'
import type { OperationFunction } from './operation-function.ts'
import { allow, newRole, ServiceFunction } from './service-function.ts'
import type { Storage } from './storage.ts'
import { newVersionAlarms } from './version-alarms.ts'

type ReleaseProps = { operations: OperationFunction[]; storage: Storage; stage: Stage }

/**
 * Releases new versions step by step. First, a hook checks each of them (release-hook.ts). Then
 * they get 10 % of the requests for 10 minutes, which is enough although metrics are up to three
 * minutes late, and then all. A version that crashes, times out or returns 500 is rolled back
 * (version-alarms.ts). A 503 does not count: a slow database is not the version's fault.
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

/** Creates the function that checks the new versions of all operations. */
const newHook = (
  scope: Construct,
  application: LambdaApplication,
  { operations, storage, stage }: ReleaseProps,
): ServiceFunction => {
  const putKeys = storage.grant({ table: 'apiKeys', actions: ['PutItem'] })
  const versions = operations.map(({ handler }) => handler.currentVersion)
  const versionArns = versions.map(({ functionArn }) => functionArn)
  const names = versions.map(({ lambda, version }) => `${lambda.functionName}:${version}`)
  return new ServiceFunction(scope, 'Hook', {
    stage: { ...stage, dynamoDBClient: 'sdk' }, // Nobody waits for its cold start.
    entry: fileURLToPath(new URL('release-hook.ts', import.meta.url)),
    policyName: 'Hook',
    statements: [
      putKeys.statement,
      allow(['lambda:InvokeFunction'], versionArns),
      allow(['codedeploy:PutLifecycleEventHookExecutionStatus'], [groupsArn(application)]),
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

/** The ARN of all deployment groups of an application. */
const groupsArn = ({ applicationName }: LambdaApplication): string =>
  `arn:${Aws.PARTITION}:codedeploy:${Aws.REGION}:${Aws.ACCOUNT_ID}:deploymentgroup:` +
  `${applicationName}/*`

/** Creates the role of CodeDeploy. */
const newReleaseRole = (scope: Construct, { handler }: ServiceFunction): IRole => {
  const policy = 'service-role/AWSCodeDeployRoleForLambdaLimited'
  const statements = [allow(['lambda:InvokeFunction'], [handler.functionArn])]
  return newRole(scope, 'Role', {
    assumedBy: new ServicePrincipal('codedeploy.amazonaws.com'),
    managedPolicies: [ManagedPolicy.fromAwsManagedPolicyName(policy)],
    inlinePolicies: { Hook: new PolicyDocument({ statements }) },
  })
}
