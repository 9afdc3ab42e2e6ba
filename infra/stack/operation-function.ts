import { fileURLToPath } from 'node:url'
import { Duration, RemovalPolicy } from 'aws-cdk-lib'
import { Alias } from 'aws-cdk-lib/aws-lambda'
import type { Construct } from 'constructs'
import type { AnyEntry } from '../../shared/pipeline/entry.ts'
import { settings } from '../../shared/settings.ts'
import { functionSettings, tableActions } from '../platform/functions.ts'
import type { Stage } from '../stages.ts'
import { ServiceFunction } from './service-function.ts'
import type { Storage } from './storage.ts'

type OperationProps = { entry: AnyEntry; storage: Storage; stage: Stage }

/** The function of an operation. It may do what `tableActions` says, and log. */
export class OperationFunction extends ServiceFunction {
  readonly operationId: string
  readonly entry: AnyEntry
  /** What the API invokes: the live version, or two versions during a release. */
  readonly alias: Alias

  constructor(scope: Construct, operationId: string, { entry, storage, stage }: OperationProps) {
    const uses = tableActions(entry).map((actions) => storage.grant(actions))
    super(scope, operationId, {
      stage,
      entry: fileURLToPath(new URL(`../../functions/${operationId}.ts`, import.meta.url)),
      policyName: 'Operation',
      statements: uses.map(({ statement }) => statement),
      environment: Object.assign(
        settingVariables(stage),
        ...uses.map(({ environment }) => environment),
      ),
      timeout: Duration.seconds(functionSettings.timeoutSeconds),
      memorySize: functionSettings.memoryMegabytes,
      reservedConcurrentExecutions: stage.reservedConcurrency,
      // Replaced versions stay, so that the alias can go back. One whose creation fails is deleted,
      // because Lambda would not publish the same code again.
      currentVersionOptions: { removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE },
    })
    this.operationId = operationId
    this.entry = entry
    const version = this.handler.currentVersion
    this.alias = new Alias(this, 'Live', { aliasName: 'live', version })
  }
}

const settingVariables = (stage: Stage): Record<string, string> => ({
  [settings.keyPrefix]: stage.keyPrefix,
  [settings.readShards]: `${stage.readShards}`,
  [settings.writeShards]: `${stage.writeShards}`,
  ...(stage.publicBaseUrl && { [settings.publicBaseUrl]: stage.publicBaseUrl }),
})
