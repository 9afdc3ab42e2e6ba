import { fileURLToPath } from 'node:url'
import { Duration, RemovalPolicy, Stack } from 'aws-cdk-lib'
import { PolicyDocument, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import { Alias, Architecture, LoggingFormat, Runtime } from 'aws-cdk-lib/aws-lambda'
import { NodejsFunction } from 'aws-cdk-lib/aws-lambda-nodejs'
import { LogGroup } from 'aws-cdk-lib/aws-logs'
import { Construct } from 'constructs'
import type { Operation } from '../../shared/contract.ts'
import { settings } from '../../shared/settings.ts'
import { bundling, explain } from '../bundle/bundling.ts'
import { accessOf, functionSettings, settingsOf } from '../functions.ts'
import type { Stage } from '../stages.ts'
import { RequestMetrics } from './request-metrics.ts'
import type { Grant, Storage } from './storage.ts'

type Props = { entry: Operation; storage: Storage; stage: Stage }

/** The Lambda function of an operation. It may do what its contract entry says, read API keys, and write its log. */
export class OperationFunction extends Construct {
  readonly operationId: string
  /** The contract entry of the operation. */
  readonly entry: Operation
  readonly handler: NodejsFunction
  readonly logGroup: LogGroup
  /** What the API invokes: the live version, or two versions during a release. */
  readonly alias: Alias
  readonly metrics: RequestMetrics

  /** @param operationId also names the function's source file */
  constructor(scope: Construct, operationId: string, { entry, storage, stage }: Props) {
    super(scope, operationId)
    this.operationId = operationId
    this.entry = entry
    this.logGroup = new LogGroup(this, 'Logs', { removalPolicy: stage.onRemoval, retention: stage.logRetention })
    const grants = accessOf(entry).map((access) => storage.grant(access))
    try {
      this.handler = this.#newFunction(grants, stage)
    } catch (error) {
      throw explain(error)
    }
    this.alias = new Alias(this, 'Live', {
      aliasName: 'live',
      version: this.handler.currentVersion,
      provisionedConcurrentExecutions: stage.provisionedConcurrency,
    })
    const namespace = Stack.of(this).stackName
    this.metrics = new RequestMetrics(this, 'Metrics', { operationId, entry, logGroup: this.logGroup, namespace })
  }

  #newFunction(grants: Grant[], stage: Stage): NodejsFunction {
    return new NodejsFunction(this, 'Function', {
      entry: fileURLToPath(new URL(`../../functions/${this.operationId}.ts`, import.meta.url)),
      bundling: bundling(stage),
      handler: 'start.handler',
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      timeout: Duration.seconds(functionSettings.timeoutSeconds),
      memorySize: functionSettings.memoryMegabytes,
      environment: Object.assign(
        {},
        settingVariables(this.entry, stage),
        ...grants.map(({ environment }) => environment),
      ),
      loggingFormat: LoggingFormat.JSON,
      logGroup: this.logGroup,
      reservedConcurrentExecutions: stage.reservedConcurrency,
      // Versions are retained so that the alias can go back to one. A version whose creation fails is deleted: Lambda
      // refuses to publish the same code twice, so keeping it would fail the next attempt of the same release.
      currentVersionOptions: { removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE },
      role: this.#newRole(grants.map(({ statement }) => statement)),
    })
  }

  // The role that CDK creates by default may write to every log group of the account.
  #newRole(statements: PolicyStatement[]): Role {
    const actions = ['logs:CreateLogStream', 'logs:PutLogEvents']
    const writeLog = new PolicyStatement({ actions, resources: [this.logGroup.logGroupArn] })
    return new Role(this, 'Role', {
      assumedBy: new ServicePrincipal('lambda.amazonaws.com'),
      inlinePolicies: { Operation: new PolicyDocument({ statements: [...statements, writeLog] }) },
    })
  }
}

const settingVariables = (entry: Operation, stage: Stage): Record<string, string> =>
  Object.fromEntries(
    settingsOf(entry).map((name) => [settings[name].variable, `${stage[name] ?? settings[name].local}`]),
  )
