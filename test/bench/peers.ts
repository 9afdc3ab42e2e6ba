import { execFile } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import { CommandError } from '../../infra/command-line.ts'

const PEERS = fileURLToPath(new URL('peers/', import.meta.url))

/**
 * The part of Lambda's Node.js 24 that loads and calls a function, once `installPeers` has
 * installed it.
 */
export const runtimeClient = join(PEERS, 'node_modules/aws-lambda-ric/index.mjs')

/**
 * Installs the peers' packages unless this version of their lock file is installed. They are not
 * among the packages of the project, because nothing else needs them.
 *
 * @throws CommandError when npm fails
 */
export const installPeers = async (): Promise<void> => {
  const lock = readFileSync(join(PEERS, 'package-lock.json'), 'utf8')
  const installed = join(PEERS, 'node_modules/.installed')
  if (existsSync(installed) && readFileSync(installed, 'utf8') === lock) return
  process.stderr.write('Installing the packages of test/bench/peers …\n')
  // No scripts: they would build the addon that preload.cjs replaces.
  const args = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']
  await promisify(execFile)('npm', args, { cwd: PEERS }).catch(({ message, stderr }) => {
    throw new CommandError(
      `npm cannot install the packages of test/bench/peers: ${stderr || message}`,
    )
  })
  writeFileSync(installed, lock)
}

/** Options of esbuild as CDK sets them for a function, minified. */
export const asDeployed = {
  bundle: true,
  minify: true,
  platform: 'node',
  target: 'node24',
  format: 'cjs',
} as const

// The fields of packages from which esbuild takes code: for the smallest bundle of the SDK, and by
// default in CDK, as the authors of the demo do.
const [smallest, byDefault] = [
  ['module', 'main'],
  ['main', 'module'],
]
const peers = {
  'bare HTTPS': smallest,
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
      const entryPoints = [join(PEERS, `src/${name.toLowerCase().replaceAll(/\W+/g, '-')}.ts`)]
      await build({
        ...asDeployed,
        entryPoints,
        outfile: join(folder, 'index.js'),
        mainFields,
        logLevel: 'error',
      })
      // Node.js would otherwise have to detect the kind of module, which it does not in Lambda.
      writeFileSync(join(folder, 'package.json'), '{"type":"commonjs"}')
      return { name, folder }
    }),
  )
