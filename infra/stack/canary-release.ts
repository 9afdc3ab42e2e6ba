import { fileURLToPath } from 'node:url'
import { Duration, RemovalPolicy, Stack, Validations } from 'aws-cdk-lib'
import { Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch'
import { LambdaDeploymentConfig, LambdaDeploymentGroup } from 'aws-cdk-lib/aws-codedeploy'
import { ManagedPolicy, Policy, PolicyDocument, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import { Architecture, LoggingFormat, Runtime } from 'aws-cdk-lib/aws-lambda'
import { NodejsFunction } from 'aws-cdk-lib/aws-lambda-nodejs'
import { LogGroup } from 'aws-cdk-lib/aws-logs'
import { Construct } from 'constructs'
import { settings } from '../../shared/settings.ts'
import { bundling } from '../bundle/bundling.ts'
import type { Stage } from '../stages.ts'
import { acceptedFindings } from './accepted-findings.ts'
import type { Alarms } from './alarms.ts'
import type { OperationFunction } from './operation-function.ts'

type Props = { operations: OperationFunction[]; alarms: Alarms; stage: Stage }

/**
 * Releases new versions step by step. First, a hook invokes each of them (`infra/release-hook.ts`). Then they get 10 % of
 * the requests for 5 minutes, and then all. A version that crashes, returns 500 or is slow is rolled back. A 503 does
 * not count: a slow database is not the version's fault.
 */
export class CanaryRelease extends Construct {
  constructor(scope: Construct, id: string, { operations, alarms, stage }: Props) {
    super(scope, id)
    const hook = this.#newHook(operations, stage)
    const role = this.#newRole(hook)
    for (const operation of operations) {
      new LambdaDeploymentGroup(operation, 'Release', {
        alias: operation.alias,
        deploymentConfig: LambdaDeploymentConfig.CANARY_10PERCENT_5MINUTES,
        alarms: alarmsOf(operation, alarms),
        preHook: hook,
        role,
      })
      // A deployment starts when the alias changes: only after the hook knows the new versions and may invoke them. When
      // CloudFormation rolls back, the hook knows the old versions again before the alias changes.
      operation.alias.node.addDependency(this)
    }
  }

  #newHook(operations: OperationFunction[], stage: Stage): NodejsFunction {
    const versions = operations.map(({ handler }) => handler.currentVersion.functionArn)
    const logGroup = new LogGroup(this, 'Logs', {
      removalPolicy: RemovalPolicy.DESTROY, // An urgent release without a canary removes the hook.
      retention: stage.logRetention,
    })
    const statements = [
      new PolicyStatement({ actions: ['lambda:InvokeFunction'], resources: versions }),
      new PolicyStatement({
        actions: ['logs:CreateLogStream', 'logs:PutLogEvents'],
        resources: [logGroup.logGroupArn],
      }),
    ]
    const { region, urlSuffix } = Stack.of(this)
    return new NodejsFunction(this, 'Hook', {
      entry: fileURLToPath(new URL('../release-hook.ts', import.meta.url)),
      bundling: bundling(stage),
      handler: 'start.handler',
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      timeout: Duration.seconds(90),
      memorySize: 256,
      environment: {
        NEW_VERSIONS: versions.join(','),
        [settings.keyPrefix.variable]: stage.keyPrefix,
        AWS_ENDPOINT_URL_LAMBDA: `https://lambda.${region}.${urlSuffix}`,
        AWS_ENDPOINT_URL_CODEDEPLOY: `https://codedeploy.${region}.${urlSuffix}`,
      },
      loggingFormat: LoggingFormat.JSON,
      logGroup,
      role: new Role(this, 'HookRole', {
        assumedBy: new ServicePrincipal('lambda.amazonaws.com'),
        inlinePolicies: { Hook: new PolicyDocument({ statements }) },
      }),
    })
  }

  /** The role of CodeDeploy. Its right to invoke the hook is a policy of its own, because the hook depends on the groups. */
  #newRole(hook: NodejsFunction) {
    const role = new Role(this, 'Role', {
      assumedBy: new ServicePrincipal('codedeploy.amazonaws.com'),
      managedPolicies: [ManagedPolicy.fromAwsManagedPolicyName('service-role/AWSCodeDeployRoleForLambdaLimited')],
    })
    Validations.of(role).acknowledge(...acceptedFindings.release)
    const statements = [new PolicyStatement({ actions: ['lambda:InvokeFunction'], resources: [hook.functionArn] })]
    new Policy(this, 'InvokeHook', { roles: [role], statements })
    // CDK would add the right to invoke every version of the hook.
    return role.withoutPolicyUpdates()
  }
}

const alarmsOf = (operation: OperationFunction, alarms: Alarms) => {
  const { operationId, handler, metrics } = operation
  const description =
    `The new version of ${operationId} crashes, returns 500 or is slow. During a release, CodeDeploy rolls it back by ` +
    'itself; later, roll it back by hand. Filter its log for status 500, and check what changed in the last release.'
  const add = (name: string, metric: Metric, above: number, periods: number) =>
    alarms.add(`${operationId}${name}`, { metric, above, periods, description })
  return [
    add('Crashes', newVersionMetric(operation, 'Errors', Stats.SUM), 0, 1),
    add('InternalErrors', metrics.internalErrors(handler.currentVersion.version), 0, 1),
    // A version that respects the two time limits, 3 s for the key check and 3 s for the operation, takes no longer.
    add('Slow', newVersionMetric(operation, 'Duration', Stats.p(99)), 7000, 2),
  ]
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
