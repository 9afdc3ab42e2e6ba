import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type BundlingOptions, LogLevel, OutputFormat } from 'aws-cdk-lib/aws-lambda-nodejs'
import { replacements } from '../packages/lean-dynamodb/index.ts'
import { ConfigurationError, type Stage } from '../stages.ts'

/** The file that Lambda loads. */
const start = fileURLToPath(new URL('start.mjs', import.meta.url))

/** The SDK's packages, each with the file of the lean client that replaces it. */
const aliases = Object.entries(replacements).map(([name, file]) => `${name}=${file}`)

/** How CDK bundles a function of a stage. Cold starts wait until the bundle is loaded. */
export const bundling = ({ dynamoDBClient = 'lean' }: Stage): BundlingOptions => ({
  // An ES module takes longer to load: its `import 'node:http'` loads undici (nodejs/node#57649).
  format: OutputFormat.CJS,
  // Minified, it loads no faster, and stack traces in the log have no names.
  minify: false,
  logLevel: LogLevel.WARNING,
  // The version that the tests ran with, not the one in Lambda's runtime.
  bundleAwsSDK: true,
  // esbuild removes unused code only from ES modules, which packages have as `module`.
  mainFields: ['module', 'main'],
  esbuildArgs: {
    '--alias': dynamoDBClient === 'lean' ? aliases : [],
    // Otherwise, esbuild only warns of a missing export after `import * as`.
    '--log-override': 'import-is-undefined=error',
    // Otherwise, esbuild rewrites Valibot's expression for emojis, and then cannot remove it.
    '--supported:regexp-unicode-property-escapes': 'true',
  },
  commandHooks: {
    // No shell commands: they would need bash, and a path without quotes.
    beforeBundling: (_, output) => {
      // CDK first asks for the commands of a Docker image, which is used only without esbuild.
      if (!existsSync(output)) return []
      process.umask(0o022) // Lambda must be able to read the files.
      writeFileSync(join(output, 'start.mjs'), readFileSync(start))
      // In `cdk.out`, this project's package.json ("type": "module") would apply to the bundle.
      writeFileSync(join(output, 'package.json'), '{"type":"commonjs"}\n')
      return []
    },
    beforeInstall: () => [],
    afterBundling: () => [],
  },
})

/** The lock file of the packages. CDK would not choose between it and one of another tool. */
export const lockFile = fileURLToPath(new URL('../../package-lock.json', import.meta.url))

/** Explains an error of CDK if the bundling failed: esbuild has printed why, or did not run. */
export const bundlingError = (error: unknown): unknown => {
  if (!(error instanceof Error) || error.name !== 'FailedToBundleAsset') return error
  return new ConfigurationError(
    `${error.message}. If infra/packages/lean-dynamodb has no matching export, the lean DynamoDB ` +
      "client does not support it: set dynamoDBClient to 'sdk' in infra/stages.ts.",
  )
}
