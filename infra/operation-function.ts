import { fileURLToPath } from 'node:url'
import { Duration } from 'aws-cdk-lib'
import { PolicyDocument, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import { Architecture, type IFunction, LoggingFormat, Runtime } from 'aws-cdk-lib/aws-lambda'
import { NodejsFunction } from 'aws-cdk-lib/aws-lambda-nodejs'
import { LogGroup } from 'aws-cdk-lib/aws-logs'
import { Construct } from 'constructs'
import type { Row } from '../shared/contract.ts'
import type { Access } from '../shared/data/tables.ts'
import { bundling } from './bundle/bundling.ts'
import { functionSettings } from './function-settings.ts'
import type { Stage } from './stages.ts'
import type { Storage } from './storage.ts'

const READS_API_KEYS: Access = { table: 'apiKeys', actions: ['GetItem'] }

/** The function of one operation, which may do what its row of the contract says, check API keys, and log. */
export class OperationFunction extends Construct {
  readonly handler: IFunction

  /** @param operationId names the function's source file */
  constructor(
    scope: Construct,
    operationId: string,
    { row, storage, stage }: { row: Row; storage: Storage; stage: Stage },
  ) {
    super(scope, operationId)
    const grants = [READS_API_KEYS, ...row.access].map((access) => storage.grant(access))
    const logGroup = new LogGroup(this, 'Logs', { removalPolicy: stage.data })
    this.handler = new NodejsFunction(this, 'Function', {
      entry: fileURLToPath(new URL(`../functions/${operationId}.ts`, import.meta.url)),
      bundling,
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      timeout: Duration.seconds(functionSettings.timeoutSeconds),
      memorySize: functionSettings.memoryMegabytes,
      environment: Object.assign({}, ...grants.map(({ environment }) => environment)),
      loggingFormat: LoggingFormat.JSON,
      logGroup,
      role: this.#role([...grants.map(({ statement }) => statement), writing(logGroup)]),
    })
  }

  // A role of our own: the one that CDK makes has a managed policy, which lets it write to every log group there is.
  #role(statements: PolicyStatement[]): Role {
    return new Role(this, 'Role', {
      assumedBy: new ServicePrincipal('lambda.amazonaws.com'),
      inlinePolicies: { Operation: new PolicyDocument({ statements }) },
    })
  }
}

const writing = ({ logGroupArn }: LogGroup) =>
  new PolicyStatement({ actions: ['logs:CreateLogStream', 'logs:PutLogEvents'], resources: [logGroupArn] })
