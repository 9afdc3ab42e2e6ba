import {
  LambdaApplication,
  LambdaDeploymentConfig,
  LambdaDeploymentGroup,
} from 'aws-cdk-lib/aws-codedeploy'
import { type IRole, ManagedPolicy, PolicyDocument, ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import { Construct } from 'constructs'
import type { Stage } from '../stages.ts'
import { HookFunction } from './hook-function.ts'
import type { OperationFunction } from './operation-function.ts'
import { allow, newRole } from './service-function.ts'
import type { Storage } from './storage.ts'
import { newVersionAlarms } from './version-alarms.ts'

type ReleaseProps = { operations: OperationFunction[]; storage: Storage; stage: Stage }

/**
 * Releases new versions step by step. First, a hook checks each of them. Then they get 10 % of the
 * requests for 10 minutes, which is enough although metrics are up to three minutes late, and then
 * all. A version that crashes, times out or returns 500 is rolled back. A 503 does not count: a
 * slow database is not the version's fault.
 */
export class CanaryRelease extends Construct {
  constructor(scope: Construct, id: string, props: ReleaseProps) {
    super(scope, id)
    const application = new LambdaApplication(this, 'Application')
    const hook = new HookFunction(this, 'Hook', { application, ...props })
    const role = this.#newRole(hook)
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

  /** Creates the role of CodeDeploy. */
  #newRole({ handler }: HookFunction): IRole {
    const statements = [allow(['lambda:InvokeFunction'], [handler.functionArn])]
    return newRole(this, 'Role', {
      assumedBy: new ServicePrincipal('codedeploy.amazonaws.com'),
      managedPolicies: [
        ManagedPolicy.fromAwsManagedPolicyName('service-role/AWSCodeDeployRoleForLambdaLimited'),
      ],
      inlinePolicies: { Hook: new PolicyDocument({ statements }) },
    })
  }
}
