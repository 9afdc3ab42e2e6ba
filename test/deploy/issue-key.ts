import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { Surroundings } from '../support/process.ts'

/** Issues an API key of a deployed stage with the command that operators use. */
export const issueKey = async (stage: string, env: Surroundings['env']): Promise<string> => {
  const args = ['infra/keys/main.ts', 'issue', '--stage', stage, '--name', 'Deployment test', '--json']
  const { stdout } = await promisify(execFile)('node', args, { env })
  return JSON.parse(stdout).key
}
