import { analyzeMetafile, build } from 'esbuild'
import { aliases } from '../../infra/bundle/aliases.ts'
import { command, run, wholeNumber } from '../../infra/command-line.ts'
import { operationIds } from '../../shared/contract.ts'
import { makeBundles } from '../support/bundles.ts'
import { processFolder } from '../support/process.ts'
import { measure } from './measure.ts'
import { asDeployed, bundlePeers, installPeers } from './peers.ts'
import { report } from './report.ts'
import { subjectsOf } from './subjects.ts'

const DETAILS = `
The other functions are in test/bench/peers; their packages are installed on the first run, which takes a network. The
bench also needs openssl: DynamoDB's responses come over TLS from this machine. A wrong response of any function ends the
run. Times mean something only on a machine that does nothing else.

  load              until the end of Lambda's init phase, in which the functions of the service connect to DynamoDB
                    and read once; "no first read" is without that, as the other functions are
  first call        the first call after the init phase
  bare HTTPS        a handler with nothing but Node.js's own HTTPS client and a signature`

const main = command(
  'npm run bench --',
  'Measures the functions as they are deployed, in turns with other functions that do the same work.',
)
  .addHelpText('after', DETAILS)
  .option(
    '--starts <number>',
    'starts of each function, and rounds of calls',
    wholeNumber(1, 1000),
    31,
  )
  .option('--bundle', 'measure nothing, and print what is in each bundle')
  .action(async ({ starts, bundle }) => {
    process.stdout.write(bundle ? await bundleReport() : await benchmark(starts))
  })

const benchmark = async (starts: number): Promise<string> => {
  await installPeers()
  const folder = processFolder('bench')
  process.env.TMPDIR = folder // For CDK's files, and whatever the functions write.
  return report(await measure(subjectsOf(makeBundles(), await bundlePeers(folder)), starts, folder))
}

/**
 * Returns esbuild's own report of what is in the bundles, with the options of
 * infra/bundle/bundling.ts that matter for it.
 */
const bundleReport = async (): Promise<string> => {
  const { metafile } = await build({
    ...asDeployed,
    entryPoints: operationIds.map((id) => `functions/${id}.ts`),
    outdir: 'bundle',
    mainFields: ['module', 'main'],
    alias: aliases,
    metafile: true,
    write: false,
  })
  return analyzeMetafile(metafile)
}

await run(main)
