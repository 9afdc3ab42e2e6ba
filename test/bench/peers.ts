import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { installPackages } from '../support/process.ts'

const PEERS = fileURLToPath(new URL('peers', import.meta.url))

/** The part of Lambda's Node.js 24 that loads and calls a function. */
export const runtimeClient = join(PEERS, 'node_modules/aws-lambda-ric/index.mjs')

/** Installs the peers' packages, which are not among those of the project. */
export const installPeers = (): Promise<void> => installPackages(PEERS)

// The fields of packages from which esbuild takes code: for the smallest bundle of the SDK, and by
// default in CDK, as the authors of the demo do.
const smallest = ['module', 'main']
const byDefault = ['main', 'module']
const peers = {
  'Node.js alone': smallest,
  'AWS SDK': smallest,
  Hono: smallest,
  'Middy, Powertools': byDefault,
}

/** A bundled function, in a folder of its own as `index.js`. */
export type Bundled = { name: string; folder: string }

/** Bundles the peers into folders below `parent`, as CDK's NodejsFunction does, with the SDK. */
export const bundlePeers = (parent: string): Promise<Bundled[]> =>
  Promise.all(
    Object.entries(peers).map(async ([name, mainFields]) => {
      const folder = join(parent, name)
      await build({
        entryPoints: [join(PEERS, `src/${name.toLowerCase().replaceAll(/\W+/g, '-')}.ts`)],
        outfile: join(folder, 'index.js'),
        bundle: true,
        minify: true,
        platform: 'node',
        target: 'node24',
        mainFields,
        logLevel: 'error',
      })
      // Node.js would otherwise have to detect the kind of module, which it does not in Lambda.
      writeFileSync(join(folder, 'package.json'), '{"type":"commonjs"}')
      return { name, folder }
    }),
  )
