import { execFile } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { CommandError } from '../../../infra/command-line.ts'
import { endWithThis } from '../end-with-this.ts'

const FOLDER = fileURLToPath(new URL('.', import.meta.url))

/** The part of Lambda's Node.js 24 that loads a function, once `installPeers` was here. */
export const runtimeClient = join(FOLDER, 'node_modules', 'aws-lambda-ric', 'index.mjs')

// Without scripts: they would build the runtime client's addon. And it is to say what is wrong under `npm run -s`, too.
const ARGS = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']

/**
 * Installs what our functions are measured beside, where that was not done for this state of `package-lock.json`. It is
 * kept out of the project's own packages, since nothing else needs it.
 */
export const installPeers = async (folder = FOLDER): Promise<void> => {
  const lock = readFileSync(join(folder, 'package-lock.json'), 'utf8')
  const installed = join(folder, 'node_modules', '.installed')
  if (existsSync(installed) && readFileSync(installed, 'utf8') === lock) return
  process.stderr.write('Installing the packages of test/bench/peers …\n')
  // The environment as it is: it tells npm where this machine gets its packages.
  const npm = promisify(execFile)('npm', ARGS, { cwd: folder })
  endWithThis(npm.child)
  await npm.catch(({ message, stderr }) => {
    throw new CommandError(`npm cannot install them, which takes a network: ${reasonIn(stderr || message)}`)
  })
  writeFileSync(installed, lock)
}

/** The first line of what npm says that is a sentence. */
const reasonIn = (output: string): string => /^npm error (?!code|errno|syscall)(.+)$/m.exec(output)?.[1] ?? output
