import { fileURLToPath } from 'node:url'
import { Duration, RemovalPolicy } from 'aws-cdk-lib'
import {
  PolicyDocument,
  PolicyStatement,
  Role,
  type RoleProps,
  ServicePrincipal,
} from 'aws-cdk-lib/aws-iam'
import { Alias, Architecture, LoggingFormat, Runtime } from 'aws-cdk-lib/aws-lambda'
import { NodejsFunction } from 'aws-cdk-lib/aws-lambda-nodejs'
import { LogGroup } from 'aws-cdk-lib/aws-logs'
import { Construct } from 'constructs'
import type { Entry } from '../../shared/pipeline/entry.ts'
import { filters } from '../../shared/service.ts'
import { settings } from '../../shared/settings.ts'
import { bundling, explain } from '../bundle/bundling.ts'
import { functionSettings, tableActions } from '../platform/functions.ts'
import type { Stage } from '../stages.ts'
import type { Storage, TableUse } from './storage.ts'

type FunctionProps = { entry: Entry; storage: Storage; stage: Stage }

/** The function of an operation: it may do what its entry says, read API keys, and log. */
export class OperationFunction extends Construct {
  readonly operationId: string
  readonly entry: Entry
  readonly handler: NodejsFunction
  readonly logGroup: LogGroup
  /** What the API invokes: the live version, or two versions during a release. */
  readonly alias: Alias

  /** `operationId` also names the source file of the function. */
  constructor(scope: Construct, operationId: string, { entry, storage, stage }: FunctionProps) {
    super(scope, operationId)
    this.operationId = operationId
    this.entry = entry
    this.logGroup = newLogGroup(this, 'Logs', stage)
    const uses = tableActions(entry).map((actions) => storage.use(actions))
    try {
      this.handler = this.#newFunction(uses, stage)
    } catch (error) {
      throw explain(error)
    }
    this.alias = new Alias(this, 'Live', {
      aliasName: 'live',
      version: this.handler.currentVersion,
    })
  }

  #newFunction(uses: TableUse[], stage: Stage): NodejsFunction {
    const { entry, logGroup } = this
    const statements = uses.map(({ statement }) => statement)
    return new NodejsFunction(this, 'Function', {
      ...commonProps(stage, logGroup),
      entry: fileURLToPath(new URL(`../../functions/${this.operationId}.ts`, import.meta.url)),
      timeout: Duration.seconds(functionSettings.timeoutSeconds),
      memorySize: functionSettings.memoryMegabytes,
      environment: Object.assign(
        settingVariables(entry, stage),
        ...uses.map(({ environment }) => environment),
      ),
      reservedConcurrentExecutions: stage.reservedConcurrency,
      // Replaced versions stay, so that the alias can go back. One whose creation fails is deleted,
      // because Lambda would not publish the same code again.
      currentVersionOptions: { removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE },
      role: new Role(this, 'Role', roleProps('Operation', statements, logGroup)),
    })
  }
}

/** Creates a log group that is kept as long as the stage says. */
export const newLogGroup = (
  scope: Construct,
  id: string,
  { onRemoval, logRetention }: Stage,
): LogGroup =>
  new LogGroup(scope, id, { removalPolicy: RemovalPolicy[onRemoval], retention: logRetention })

/** What every Lambda function of a stage has. */
export const commonProps = (stage: Stage, logGroup: LogGroup) => ({
  bundling: bundling(stage),
  handler: 'start.handler',
  runtime: Runtime.NODEJS_24_X,
  architecture: Architecture.ARM_64,
  loggingFormat: LoggingFormat.JSON,
  logGroup,
})

/** The role of a function, with a right to its own log. (CDK's default may write to all logs.) */
export const roleProps = (
  policy: string,
  statements: PolicyStatement[],
  { logGroupArn }: LogGroup,
): RoleProps => {
  const actions = ['logs:CreateLogStream', 'logs:PutLogEvents']
  const writeLog = new PolicyStatement({ actions, resources: [logGroupArn] })
  return {
    assumedBy: new ServicePrincipal('lambda.amazonaws.com'),
    inlinePolicies: { [policy]: new PolicyDocument({ statements: [...statements, writeLog] }) },
  }
}

/** The settings that a function reads. */
const settingVariables = ({ access }: Entry, stage: Stage): Record<string, string> => {
  const { keyPrefix, readShards, writeShards } = settings
  const isSharded = Object.keys(access).some((table) => table in filters)
  return {
    [keyPrefix]: stage.keyPrefix,
    ...(isSharded && {
      [readShards]: `${stage.readShards}`,
      [writeShards]: `${stage.writeShards}`,
    }),
  }
}
