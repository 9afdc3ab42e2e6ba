import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { App } from 'aws-cdk-lib'
import { Template } from 'aws-cdk-lib/assertions'
import { CURRENTLY_RECOMMENDED_FLAGS } from 'aws-cdk-lib/cx-api'
import { ServiceStack } from '../../infra/stack/service-stack.ts'
import { type Stage, stages } from '../../infra/stages.ts'
import { entries, type OperationId, operationIds } from '../../shared/contract.ts'
import { partsOf } from '../infra/stack/template.ts'

/** The functions as `cdk deploy` uploads them, in a temporary folder. */
export type Bundles = ReturnType<typeof makeBundles>

/**
 * Bundles functions of the staging stage, with other settings if given. All functions take about
 * three seconds.
 */
export const makeBundles = (options: Partial<Stage> = {}, ids = operationIds) => {
  const outdir = mkdtempSync(join(tmpdir(), 'bundles-'))
  const context = CURRENTLY_RECOMMENDED_FLAGS
  const app = new App({ outdir, builtinCloudFormationValidation: false, context })
  const contract = Object.fromEntries(ids.map((id) => [id, entries[id]]))
  const stack = new ServiceStack(app, 'Bundled', { ...stages.staging, ...options }, contract)
  const template = Template.fromStack(stack)
  const properties = (operation: OperationId) => partsOf(template, operation).handler
  return {
    /** The folder that Lambda gets. Its `index.js` exports `handler`. */
    folderOf: (operation: OperationId) =>
      join(outdir, `asset.${properties(operation).Code.S3Key.replace('.zip', '')}`),
    /** The handler: a file of the folder without its extension, and its export. */
    handlerOf: (operation: OperationId): string => properties(operation).Handler,
    /** The environment variables that have a literal value in the template. */
    environmentOf: (operation: OperationId): Record<string, string> => {
      const variables: Record<string, string | object> = properties(operation).Environment.Variables
      const literal = Object.entries(variables).filter(([, value]) => typeof value === 'string')
      return Object.fromEntries(literal.map(([name, value]) => [name, `${value}`]))
    },
  }
}
