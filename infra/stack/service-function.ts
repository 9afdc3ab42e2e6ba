import { RemovalPolicy } from 'aws-cdk-lib'
import {
  type IRole,
  PolicyDocument,
  PolicyStatement,
  Role,
  type RoleProps,
  ServicePrincipal,
} from 'aws-cdk-lib/aws-iam'
import { Architecture, LoggingFormat, Runtime } from 'aws-cdk-lib/aws-lambda'
import { NodejsFunction, type NodejsFunctionProps } from 'aws-cdk-lib/aws-lambda-nodejs'
import { LogGroup } from 'aws-cdk-lib/aws-logs'
import { Construct } from 'constructs'
import { bundling, bundlingError, lockFile } from '../bundle/bundling.ts'
import type { Stage } from '../stages.ts'

/** What distinguishes a function. CDK's `entry` is its source file. */
type ServiceFunctionProps = NodejsFunctionProps & {
  stage: Stage
  policyName: string
  /** What its role allows, besides writing to its own log. */
  statements: PolicyStatement[]
}

/** A Lambda function of the service, bundled from its source, with its own role and log. */
export class ServiceFunction extends Construct {
  readonly handler: NodejsFunction
  readonly logGroup: LogGroup

  constructor(scope: Construct, id: string, props: ServiceFunctionProps) {
    super(scope, id)
    const { stage, policyName, statements, ...functionProps } = props
    this.logGroup = newLogGroup(this, 'Logs', stage)
    // CDK's default role may write to all logs.
    const logActions = ['logs:CreateLogStream', 'logs:PutLogEvents']
    const all = [...statements, allow(logActions, [this.logGroup.logGroupArn])]
    const role = newRole(this, 'Role', {
      assumedBy: new ServicePrincipal('lambda.amazonaws.com'),
      inlinePolicies: { [policyName]: new PolicyDocument({ statements: all }) },
    })
    try {
      this.handler = new NodejsFunction(this, 'Function', {
        ...functionProps,
        bundling: bundling(stage),
        depsLockFilePath: lockFile,
        handler: 'start.handler',
        runtime: Runtime.NODEJS_24_X,
        architecture: Architecture.ARM_64,
        loggingFormat: LoggingFormat.JSON,
        logGroup: this.logGroup,
        role,
      })
    } catch (error) {
      throw bundlingError(error)
    }
  }
}

/** Creates a log group that is kept as long as the stage says. */
export const newLogGroup = (scope: Construct, id: string, stage: Stage): LogGroup =>
  new LogGroup(scope, id, {
    removalPolicy: RemovalPolicy[stage.onRemoval],
    retention: stage.logRetention,
  })

/**
 * Creates a role with these permissions only. CDK would add others, such as one for each version of
 * a function, and a role has 10,240 characters for all of them.
 */
export const newRole = (scope: Construct, id: string, props: RoleProps): IRole =>
  new Role(scope, id, props).withoutPolicyUpdates()

export const allow = (actions: string[], resources: string[]): PolicyStatement =>
  new PolicyStatement({ actions, resources })
