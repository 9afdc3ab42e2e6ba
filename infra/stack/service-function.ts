import { RemovalPolicy } from 'aws-cdk-lib'
import type { IRole, PolicyStatement } from 'aws-cdk-lib/aws-iam'
import { Architecture, LoggingFormat, Runtime } from 'aws-cdk-lib/aws-lambda'
import { NodejsFunction, type NodejsFunctionProps } from 'aws-cdk-lib/aws-lambda-nodejs'
import { LogGroup } from 'aws-cdk-lib/aws-logs'
import { Construct } from 'constructs'
import { bundling, explain } from '../bundle/bundling.ts'
import type { Stage } from '../stages.ts'
import { allow, newRole } from './roles.ts'

/** What distinguishes a function. `entry` is its source file. */
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
    try {
      this.handler = new NodejsFunction(this, 'Function', {
        ...functionProps,
        bundling: bundling(stage),
        handler: 'start.handler',
        runtime: Runtime.NODEJS_24_X,
        architecture: Architecture.ARM_64,
        loggingFormat: LoggingFormat.JSON,
        logGroup: this.logGroup,
        role: this.#newRole(policyName, statements),
      })
    } catch (error) {
      throw explain(error)
    }
  }

  #newRole(policyName: string, statements: PolicyStatement[]): IRole {
    // CDK's default role may write to all logs.
    const actions = ['logs:CreateLogStream', 'logs:PutLogEvents']
    const writeLog = allow(actions, [this.logGroup.logGroupArn])
    const service = 'lambda.amazonaws.com'
    return newRole(this, 'Role', { service, policyName, statements: [...statements, writeLog] })
  }
}

/** Creates a log group that is kept as long as the stage says. */
export const newLogGroup = (scope: Construct, id: string, stage: Stage): LogGroup =>
  new LogGroup(scope, id, {
    removalPolicy: RemovalPolicy[stage.onRemoval],
    retention: stage.logRetention,
  })
