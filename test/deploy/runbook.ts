import { readFileSync } from 'node:fs'
import { run, type Surroundings } from '../support/process.ts'

/** Runs the first block of commands in a section of `infra/README.md`, as an operator pastes it. */
export const follow = (heading: string, surroundings: Surroundings): Promise<void> => {
  const [, section = ''] = readFileSync('infra/README.md', 'utf8').split(`\n### ${heading}\n`)
  const [, commands] = /^```sh\n(.*?)^```$/ms.exec(section) ?? []
  if (!commands) throw new Error(`infra/README.md has no commands under "${heading}".`)
  return run('bash', ['-euo', 'pipefail', '-c', commands], surroundings)
}
