import { fileURLToPath } from 'node:url'
import { Duration, RemovalPolicy, Stack, Validations } from 'aws-cdk-lib'
import { PolicyDocument, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import { Alias, Architecture, LoggingFormat, Runtime, Tracing } from 'aws-cdk-lib/aws-lambda'
import { NodejsFunction } from 'aws-cdk-lib/aws-lambda-nodejs'
import { LogGroup } from 'aws-cdk-lib/aws-logs'
import { Construct } from 'constructs'
import type { Operation } from '../../shared/contract.ts'
import type { Access } from '../../shared/data/tables.ts'
import { bundling } from '../bundle/bundling.ts'
import { functionSettings } from '../gateway.ts'
import type { Stage } from '../stages.ts'
import { acceptedFindings } from './accepted-findings.ts'
import { RequestMetrics } from './request-metrics.ts'
import type { Storage } from './storage.ts'

const READS_API_KEYS: Access = { table: 'apiKeys', actions: ['GetItem'] }

/** The function of one operation, which may do what its row of the contract says, check API keys, and log. */
export class OperationFunction extends Construct {
  readonly operationId: string
  readonly row: Operation
  readonly handler: NodejsFunction
  readonly logGroup: LogGroup
  /** What the API calls: the version that is live, or two of them while a release goes on. */
  readonly alias: Alias
  readonly metrics: RequestMetrics

  /** @param operationId names the function's source file */
  constructor(
    scope: Construct,
    operationId: string,
    { row, storage, stage }: { row: Operation; storage: Storage; stage: Stage },
  ) {
    super(scope, operationId)
    this.operationId = operationId
    this.row = row
    const grants = [READS_API_KEYS, ...row.access].map((access) => storage.grant(access))
    this.logGroup = new LogGroup(this, 'Logs', { removalPolicy: stage.data, retention: stage.logRetention })
    const statements = [...grants.map(({ statement }) => statement), writing(this.logGroup)]
    this.handler = new NodejsFunction(this, 'Function', {
      entry: fileURLToPath(new URL(`../../functions/${operationId}.ts`, import.meta.url)),
      bundling,
      handler: 'start.handler',
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      timeout: Duration.seconds(functionSettings.timeoutSeconds),
      memorySize: functionSettings.memoryMegabytes,
      environment: Object.assign({}, ...grants.map(({ environment }) => environment)),
      loggingFormat: LoggingFormat.JSON,
      logGroup: this.logGroup,
      tracing: Tracing.ACTIVE,
      reservedConcurrentExecutions: stage.reservedConcurrency,
      // Versions stay, so that the alias can go back to one; but not one whose deployment failed: Lambda would refuse to
      // publish the same again, and so the next try of the same release.
      currentVersionOptions: { removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE },
      role: this.#role(statements),
    })
    this.alias = new Alias(this, 'Live', {
      aliasName: 'live',
      version: this.handler.currentVersion,
      provisionedConcurrentExecutions: stage.provisionedConcurrency,
    })
    const { logGroup } = this
    this.metrics = new RequestMetrics(this, 'Metrics', {
      operationId,
      row,
      logGroup,
      namespace: Stack.of(this).stackName,
    })
  }

  // A role of our own: the one that CDK makes has a managed policy, which lets it write to every log group there is.
  #role(statements: PolicyStatement[]): Role {
    const role = new Role(this, 'Role', {
      assumedBy: new ServicePrincipal('lambda.amazonaws.com'),
      inlinePolicies: { Operation: new PolicyDocument({ statements }) },
    })
    Validations.of(role).acknowledge(...acceptedFindings.role)
    return role
  }
}

const writing = ({ logGroupArn }: LogGroup) =>
  new PolicyStatement({ actions: ['logs:CreateLogStream', 'logs:PutLogEvents'], resources: [logGroupArn] })
