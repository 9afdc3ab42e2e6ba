import { fileURLToPath } from 'node:url'
import { type BundlingOptions, LogLevel, OutputFormat } from 'aws-cdk-lib/aws-lambda-nodejs'
import { standIns } from './stand-ins.ts'

const start = fileURLToPath(new URL('start.mjs', import.meta.url))

/**
 * How a function's source becomes what Lambda loads. What is loaded before the first answer is what a cold start waits for;
 * `npm run bench` shows what it takes. Figures are of getPet: kilobytes, and milliseconds to import it.
 */
export const bundling: BundlingOptions = {
  // 12 ms, and 31 as an ES module: there, `import 'node:http'` drags in undici (nodejs/node#57649).
  format: OutputFormat.CJS,
  minify: true,
  // A file beside the bundle, read when there is an error to log (shared/source-lines.ts).
  sourceMap: true,
  sourcesContent: false,
  logLevel: LogLevel.WARNING,
  // The SDK that the tests ran with, not the one that Lambda happens to have.
  bundleAwsSDK: true,
  // Packages' ES modules, from which esbuild drops what is not used: 54 KB and 12 ms, not 166 and 28.
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
