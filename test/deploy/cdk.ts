import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { run, type Surroundings } from '../support/process.ts'
import { stripAssembly } from './strip.ts'

/** The CDK, in these surroundings and with its files in `folder`. */
export const cdkIn = (folder: string, surroundings: Surroundings) => {
  const cdk = (...args: string[]) => run('cdk', args, surroundings)
  const outputsFile = join(folder, 'outputs.json')
  return {
    /** Synthesizes what `app` defines, less what the emulator refuses. Returns the folder. */
    synth: async (app: string): Promise<string> => {
      const assembly = join(folder, app.replaceAll(/\W/g, '-'))
      await cdk('synth', '--quiet', '--app', `node ${app}`, '--output', assembly)
      stripAssembly(assembly)
      return assembly
    },
    bootstrap: (assembly: string) => cdk('bootstrap', '--app', assembly),
    /** Deploys all stacks. Returns their outputs. */
    deploy: async (assembly: string): Promise<Record<string, Record<string, string>>> => {
      const approved = ['--require-approval', 'never', '--method', 'direct']
      await cdk('deploy', '--all', '--app', assembly, ...approved, '--outputs-file', outputsFile)
      return JSON.parse(readFileSync(outputsFile, 'utf8'))
    },
  }
}
