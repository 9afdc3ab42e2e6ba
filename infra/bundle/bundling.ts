import { fileURLToPath } from 'node:url'
import { type BundlingOptions, LogLevel, OutputFormat } from 'aws-cdk-lib/aws-lambda-nodejs'
import { standIns } from './stand-ins.ts'

const start = fileURLToPath(new URL('start.mjs', import.meta.url))

/**
 * How a function's source becomes what Lambda loads. What is loaded before the first answer is what a cold start waits
 * for: of listPets, 361 KB and 39.6 ms as it comes, 194 KB and 20.6 ms so.
 */
export const bundling: BundlingOptions = {
  // As an ES module the SDK loads in 50.7 ms, not 35.5: `import 'node:http'` drags in undici (nodejs/node#57649).
  format: OutputFormat.CJS,
  minify: true,
  // A file beside the bundle, read when there is an error to log (shared/source-lines.ts).
  sourceMap: true,
  sourcesContent: false,
  logLevel: LogLevel.WARNING,
  // The SDK that the tests ran with, not the one that Lambda happens to have.
  bundleAwsSDK: true,
  // The SDK's ES modules, from which esbuild drops what is not used: 337 KB, not 531.
  mainFields: ['module', 'main'],
  esbuildArgs: {
    '--alias': Object.entries(standIns).map(([name, file]) => `${name}=${file}`),
  },
  commandHooks: {
    beforeBundling: () => [],
    beforeInstall: () => [],
    afterBundling: (_, output) => [
      `cp '${start}' '${output}'`,
      // This project's package.json says ES modules, also to Node that loads a bundle from `cdk.out`.
      `echo '{"type":"commonjs"}' > '${output}/package.json'`,
    ],
  },
}
