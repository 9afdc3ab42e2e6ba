import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { App } from 'aws-cdk-lib'
import { Template } from 'aws-cdk-lib/assertions'
import { CURRENTLY_RECOMMENDED_FLAGS } from 'aws-cdk-lib/cx-api'
import { ServiceStack } from '../../infra/stack/service-stack.ts'
import { type Stage, stages } from '../../infra/stages.ts'
import { contract, type OperationId, operationIds } from '../../shared/contract.ts'
import { partsOf } from '../infra/stack/template.ts'

/** The functions as `cdk deploy` uploads them, in a temporary folder until `remove` is called. */
export type Bundles = {
  /** The folder that Lambda gets. Its `index.js` exports `handler`. */
  folderOf(operation: OperationId): string
  /**
   * The handler setting of the function: a file of the folder without its extension, and its
   * export.
   */
  handlerOf(operation: OperationId): string
  /** The environment variables that have a literal value in the template. */
  environmentOf(operation: OperationId): Record<string, string>
  remove(): void
}

/**
 * Bundles functions of the staging stage, with other settings if given. All functions take about
 * three seconds.
 */
export const makeBundles = (options: Partial<Stage> = {}, ids = operationIds): Bundles => {
  const outdir = mkdtempSync(join(tmpdir(), 'bundles-'))
  const app = new App({
    outdir,
    builtinCloudFormationValidation: false,
    context: CURRENTLY_RECOMMENDED_FLAGS,
  })
  const entries = Object.fromEntries(ids.map((id) => [id, contract[id]]))
  const template = Template.fromStack(
    new ServiceStack(app, 'Bundled', { ...stages.staging, ...options }, entries),
  )
  const properties = (operation: OperationId) => partsOf(template, operation).handler
  return {
    folderOf: (operation) =>
      join(outdir, `asset.${properties(operation).Code.S3Key.replace('.zip', '')}`),
    handlerOf: (operation) => properties(operation).Handler,
    environmentOf: (operation) => {
      const variables: [string, unknown][] = Object.entries(
        properties(operation).Environment.Variables,
      )
      return Object.fromEntries(
        variables.filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
      )
    },
    remove: () => rmSync(outdir, { recursive: true, force: true }),
  }
}
