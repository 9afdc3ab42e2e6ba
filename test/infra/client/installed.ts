import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const runFile = promisify(execFile)
const [, steps = ''] =
  /^```sh\n(.*?)^```$/ms.exec(readFileSync('infra/client/README.md', 'utf8')) ?? []

/**
 * Installs the client as its README says, with a new home folder, and without network and package
 * cache. `run` runs a command where it is installed. It returns the output, and throws if the
 * command fails.
 */
export const install = async () => {
  const home = await mkdtemp(join(tmpdir(), 'client-'))
  const npm = { npm_config_offline: 'true', npm_config_audit: 'false', npm_config_fund: 'false' }
  const env = { PATH: process.env.PATH, HOME: home, TMPDIR: home, ...npm }
  const folder = join(home, 'shop')
  const run = async (command: string, args: string[], cwd = folder): Promise<string> => {
    const { stdout } = await runFile(command, args, { cwd, env }).catch((error) => {
      throw new Error(`${command} ${args.join(' ')}: ${error.stdout}${error.stderr}`)
    })
    return stdout
  }
  await run('bash', ['-ec', steps], process.cwd())
  return { folder, run }
}
