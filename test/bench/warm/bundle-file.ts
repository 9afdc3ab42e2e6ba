import { existsSync, mkdtempSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { App, Stack } from 'aws-cdk-lib'
import { Runtime } from 'aws-cdk-lib/aws-lambda'
import { NodejsFunction } from 'aws-cdk-lib/aws-lambda-nodejs'
import { CURRENTLY_RECOMMENDED_FLAGS } from 'aws-cdk-lib/cx-api'
import { bundling } from '../../../infra/bundle/bundling.ts'

/** Bundles a file as our functions are, below `folder`, and tells where its bundle is. */
export const bundleFile = (entry: string, folder: string): string => {
  const outdir = mkdtempSync(join(folder, 'bundle-'))
  const app = new App({ outdir, builtinCloudFormationValidation: false, context: CURRENTLY_RECOMMENDED_FLAGS })
  new NodejsFunction(new Stack(app, 'Stack'), 'Function', { entry, bundling, runtime: Runtime.NODEJS_24_X })
  const bundle = readdirSync(outdir)
    .map((name) => join(outdir, name))
    .find((path) => existsSync(join(path, 'package.json')))
  if (!bundle) throw new Error(`CDK made no bundle of ${entry}.`)
  return bundle
}
