import { mkdtempSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type BuildOptions, build } from 'esbuild'
import { bundling } from '../../infra/bundle/bundling.ts'
import { standIns } from '../../infra/bundle/stand-ins.ts'

type Options = Required<Pick<BuildOptions, 'mainFields' | 'alias'>>

/** In what our functions are bundled in another way than by default. */
export const bundledAsOurs: Options = { mainFields: bundling.mainFields ?? [], alias: standIns }

/**
 * Bundles a file as CDK's NodejsFunction does, with the SDK in it and minified.
 *
 * @param folder gets the bundle, in a folder of its own, whose path is returned
 */
export const bundleFile = async (file: string, folder: string, options: Options): Promise<string> => {
  const own = mkdtempSync(join(folder, 'bundle-'))
  await build({
    entryPoints: [file],
    outfile: join(own, 'index.js'),
    bundle: true,
    minify: true,
    platform: 'node',
    target: 'node24',
    format: 'cjs',
    logLevel: 'error',
    ...options,
  })
  // Or Node.js would find out what kind of module it is, which Lambda does not have it do.
  writeFileSync(join(own, 'package.json'), '{"type":"commonjs"}')
  return own
}
