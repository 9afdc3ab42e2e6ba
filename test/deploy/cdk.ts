import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { type ProcessSettings, runProcess } from '../support/process.ts'

/** The outputs of each stack, by name. */
export type Outputs = Record<string, Record<string, string>>

/** The CDK command, with its files in `folder`. */
export const cdkIn = (folder: string, settings: ProcessSettings) => {
  const cdk = (...args: string[]) => runProcess('cdk', args, settings)
  const outputsFile = join(folder, 'outputs.json')
  return {
    /** Synthesizes an app, without what the emulator refuses. Returns the folder of the assembly. */
    synth: async (app: string, ...context: string[]): Promise<string> => {
      const assembly = join(folder, basename(app, '.ts'))
      // The emulator does not support CodeDeploy, which the canary release uses.
      const contexts = ['release=all-at-once', ...context].flatMap((each) => ['--context', each])
      await cdk('synth', '--quiet', '--app', `node ${app}`, ...contexts, '--output', assembly)
      for (const template of globSync(join(assembly, '*.template.json')))
        removeUnsupported(template)
      return assembly
    },
    bootstrap: (assembly: string) => cdk('bootstrap', '--app', assembly),
    /** Deploys all stacks. Returns their outputs. */
    deploy: async (assembly: string): Promise<Outputs> => {
      const approved = ['--require-approval', 'never', '--method', 'direct']
      await cdk('deploy', '--all', '--app', assembly, ...approved, '--outputs-file', outputsFile)
      return JSON.parse(readFileSync(outputsFile, 'utf8'))
    },
  }
}

/**
 * Removes the saved queries and the alarms on metric math, for which the emulator refuses a whole
 * template, and the dashboard, which refers to some of them.
 */
const removeUnsupported = (file: string): void => {
  const template = JSON.parse(readFileSync(file, 'utf8'))
  for (const name of Object.keys(template.Resources)) {
    const { Type, Properties } = template.Resources[name]
    const isMath = Type === 'AWS::CloudWatch::Alarm' && Properties.Metrics
    if (isMath || ['AWS::Logs::QueryDefinition', 'AWS::CloudWatch::Dashboard'].includes(Type))
      delete template.Resources[name]
  }
  writeFileSync(file, JSON.stringify(template))
}
