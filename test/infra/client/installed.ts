import { execFile } from 'node:child_process'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'

const runFile = promisify(execFile)

/**
 * Packs the client as its README says, and installs it in a new folder, without network and package cache. `run` runs a
 * command in the folder. It returns the output, and throws if the command fails.
 */
export const install = async () => {
  const folder = await mkdtemp(join(tmpdir(), 'pet-store-client-'))
  const env = { PATH: process.env.PATH, HOME: folder, TMPDIR: folder }
  const run = async (command: string, args: string[]): Promise<string> => {
    const { stdout } = await runFile(command, args, { cwd: folder, env }).catch((error) => {
      throw new Error(`${command} ${args.join(' ')}: ${error.stdout}${error.stderr}`)
    })
    return stdout
  }
  await run('npm', ['pack', resolve('infra/client')])
  await run('npm', ['install', './pet-store-1.0.0.tgz', '--offline', '--no-audit', '--no-fund'])
  return { folder, run }
}
