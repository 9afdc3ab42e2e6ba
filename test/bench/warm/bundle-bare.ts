import { existsSync, mkdtempSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { App, Stack } from 'aws-cdk-lib'
import { Runtime } from 'aws-cdk-lib/aws-lambda'
import { NodejsFunction } from 'aws-cdk-lib/aws-lambda-nodejs'
import { CURRENTLY_RECOMMENDED_FLAGS } from 'aws-cdk-lib/cx-api'
import { bundling } from '../../../infra/bundle/bundling.ts'

/** Bundles `bare-get-pet.ts` as our functions are, below `folder`, and tells where its bundle is. */
export const bundleBare = (folder: string): string => {
  const outdir = mkdtempSync(join(folder, 'bare-'))
  const app = new App({ outdir, builtinCloudFormationValidation: false, context: CURRENTLY_RECOMMENDED_FLAGS })
  const entry = fileURLToPath(new URL('bare-get-pet.ts', import.meta.url))
  new NodejsFunction(new Stack(app, 'Bare'), 'Function', { entry, bundling, runtime: Runtime.NODEJS_24_X })
  const asset = readdirSync(outdir).find(
    (name) => name.startsWith('asset.') && existsSync(join(outdir, name, 'package.json')),
  )
  if (!asset) throw new Error(`CDK made no bundle in ${outdir}.`)
  return join(outdir, asset)
}
