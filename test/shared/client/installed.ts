import { execFile } from 'node:child_process'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const runFile = promisify(execFile)

/** An empty folder that the package of the client was installed into. */
export type Installed = {
  folder: string
  /** Runs a command there, and tells what it printed. Throws where it fails. */
  run: (command: string, args: string[]) => Promise<string>
}

/** Packs the client, and installs it as its users do. There is no network for it, and no cache of packages. */
export const install = async (): Promise<Installed> => {
  const folder = await mkdtemp(join(tmpdir(), 'pet-store-client-'))
  const env = { PATH: process.env.PATH, HOME: folder, TMPDIR: folder }
  const run = async (command: string, args: string[]) => {
    const { stdout } = await runFile(command, args, { cwd: folder, env }).catch((error) => {
      throw new Error(`${command} ${args.join(' ')}: ${error.stdout}${error.stderr}`)
    })
    return stdout
  }
  await runFile('npm', ['pack', '--pack-destination', folder], { env })
  await run('npm', ['install', './pet-store-1.0.0.tgz', '--offline', '--no-audit', '--no-fund'])
  return { folder, run }
}
