import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { App, Stack } from 'aws-cdk-lib'
import { Template } from 'aws-cdk-lib/assertions'
import { CURRENTLY_RECOMMENDED_FLAGS } from 'aws-cdk-lib/cx-api'
import { OperationFunction } from '../../infra/stack/operation-function.ts'
import { Storage } from '../../infra/stack/storage.ts'
import { type Stage, stages } from '../../infra/stages.ts'
import { entries, type OperationId, operationIds } from '../../shared/contract.ts'

/** The functions as `cdk deploy` uploads them, in a temporary folder. */
export type Bundles = ReturnType<typeof makeBundles>

/**
 * Bundles functions of the staging stage, with other settings if given. All functions take about
 * a second.
 */
export const makeBundles = (options: Partial<Stage> = {}, ids = operationIds) => {
  const outdir = mkdtempSync(join(tmpdir(), 'bundles-'))
  const context = CURRENTLY_RECOMMENDED_FLAGS
  const app = new App({ outdir, builtinCloudFormationValidation: false, context })
  const stack = new Stack(app, 'Bundled')
  const stage = { ...stages.staging, ...options }
  const storage = new Storage(stack, 'Storage', stage)
  withDirectEsbuild(() => {
    for (const id of ids) new OperationFunction(stack, id, { entry: entries[id], storage, stage })
  })
  const functions = Template.fromStack(stack).findResources('AWS::Lambda::Function')
  const properties = (operation: OperationId) => {
    const found = Object.entries(functions).find(([id]) => id.startsWith(`${operation}Function`))
    return found?.[1].Properties
  }
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

/** Lets CDK's `npx --no-install esbuild` start esbuild at once: npx takes longer than a bundle. */
const withDirectEsbuild = (make: () => void): void => {
  const folder = mkdtempSync(join(tmpdir(), 'npx-'))
  writeFileSync(join(folder, 'npx'), '#!/bin/sh\nshift\nexec "$@"\n', { mode: 0o755 })
  const { PATH } = process.env
  process.env.PATH = `${folder}:${resolve('node_modules/.bin')}:${PATH}`
  try {
    make()
  } finally {
    process.env.PATH = PATH
  }
}
