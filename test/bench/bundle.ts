import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { analyzeMetafile, build } from 'esbuild'
import { aliases } from '../../infra/bundle/aliases.ts'
import { CommandError } from '../../infra/command-line.ts'
import { type OperationId, operationIds } from '../../shared/contract.ts'

const PEERS = fileURLToPath(new URL('peers/', import.meta.url))

/** The part of Lambda's Node.js 24 that loads and calls a function, once `installPeers` has installed it. */
export const runtimeClient = join(PEERS, 'node_modules/aws-lambda-ric/index.mjs')

/**
 * Installs the peers' packages unless this version of their lock file is installed. They are not among the packages of
 * the project, because nothing else needs them.
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
    throw new CommandError(`npm cannot install the packages of test/bench/peers: ${stderr || message}`)
  })
  writeFileSync(installed, lock)
}

type Options = { mainFields: string[]; alias?: Record<string, string> }

/** How the functions of the service are bundled, as far as it differs from CDK's defaults (infra/bundle/bundling.ts). */
const likeOurs = { mainFields: ['module', 'main'], alias: aliases }

/** The leanest bundle of the stock SDK. CDK's default, which the demo's authors use, prefers `main`. */
const lean = { mainFields: ['module', 'main'] }
const byDefault = { mainFields: ['main', 'module'] }

const peers: [name: string, source: string, options: Options][] = [
  ['floor', 'floor', lean],
  ['stock client', 'stock-client', lean],
  ['hono', 'hono', lean],
  ['demo style', 'demo-style', byDefault],
]

/** A bundled function, in a folder of its own as `index.js`. */
export type Bundled = { name: string; folder: string }

/** Bundles the peers into folders below `folder`. */
export const bundlePeers = (folder: string): Promise<Bundled[]> =>
  Promise.all(
    peers.map(async ([name, source, options]) => ({
      name,
      folder: await bundleFile(join(PEERS, `src/${source}.ts`), folder, options),
    })),
  )

/** Returns esbuild's own report of what is in the bundle of each function. */
export const analyzeBundles = async (): Promise<string> => {
  const reports = operationIds.map(async (id) => {
    const entry = { entryPoints: [functionFile(id)], outfile: id }
    const { metafile } = await build({ ...settings, ...likeOurs, ...entry, metafile: true, write: false })
    return analyzeMetafile(metafile)
  })
  return (await Promise.all(reports)).join('')
}

/** The source of a function of the service. */
export const functionFile = (id: OperationId): string => join(PEERS, `../../../functions/${id}.ts`)

const settings = {
  bundle: true,
  minify: true,
  platform: 'node',
  target: 'node24',
  format: 'cjs',
  logLevel: 'error',
} as const

/**
 * Bundles a file as CDK's NodejsFunction does, with the SDK and minified, and returns the bundle's folder. By default, it
 * is bundled like the functions of the service, but faster than with CDK.
 */
export const bundleFile = async (file: string, folder: string, options: Options = likeOurs): Promise<string> => {
  const own = mkdtempSync(join(folder, 'bundle-'))
  await build({ ...settings, ...options, entryPoints: [file], outfile: join(own, 'index.js') })
  // Node.js would otherwise have to detect the kind of module, which it does not in Lambda.
  writeFileSync(join(own, 'package.json'), '{"type":"commonjs"}')
  return own
}
