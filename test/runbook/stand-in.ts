import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { environment, preparePython, startProcess } from '../support/process.ts'

/** What AWS and other commands respond, by action such as `iam:GetRole`, or by command. */
export type Scenario = {
  /** What the operator has set. */
  variables?: Record<string, string | undefined>
  /** The lines that the operator types when asked. */
  input?: string
  permissions: readonly string[]
  /** What each call returns in turn, the last from then on. Without any, a response is empty. */
  responses?: Record<string, readonly unknown[]>
  /** The number of a call, from 0, that is refused. */
  refused?: number
  /** What exists, such as `table pets`: it is not made again. */
  made?: readonly string[]
}

const FOLDER = dirname(fileURLToPath(import.meta.url))

/** The commands that a procedure may call. Others are this machine's own. */
const COMMANDS = ['aws', 'npm', 'npx', 'gh']

// Without the settings of whoever runs this.
const OPTIONS = { bash: ['--noprofile', '--norc'], zsh: ['-f'] }

export type Shell = keyof typeof OPTIONS
export const shells: readonly Shell[] = ['bash', 'zsh']

/** Starts what stands in for AWS. Returns a function that pastes commands into a shell. */
export const startStandIn = async () => {
  const folder = mkdtempSync(join(tmpdir(), 'runbook-'))
  const python = await preparePython('test/deploy/requirements.txt', 'inherit')
  // A shell starts Python, because the path after `#!` ends at a space.
  for (const name of COMMANDS) writeFileSync(join(folder, name), START_COMMAND, { mode: 0o755 })
  const address = join(folder, 'socket')
  const server = startProcess(python, [join(FOLDER, 'stand-in.py'), address], {
    env: { ...environment, ...AWS },
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  while (!existsSync(address)) {
    if (server.exitCode !== null) throw new Error('The stand-in of AWS has ended.')
    await setTimeout(50)
  }
  return {
    paste: (shell: Shell, commands: string, scenario: Scenario) =>
      paste({ folder, python }, shell, commands, scenario),
    stop: () => server.kill(),
  }
}

const AWS = {
  AWS_ACCESS_KEY_ID: 'none',
  AWS_SECRET_ACCESS_KEY: 'none',
  AWS_DEFAULT_REGION: 'eu-central-1',
  AWS_CONFIG_FILE: '/nowhere',
  AWS_SHARED_CREDENTIALS_FILE: '/nowhere',
}

const START_COMMAND = '#!/bin/sh\nCOMMAND="$0" exec "$PYTHON" -IS "$PROGRAM" "$@"\n'

/** The `calls` are the actions of AWS and the other commands, and `made` what exists after them. */
const paste = async (
  { folder, python }: { folder: string; python: string },
  shell: Shell,
  commands: string,
  { variables, input = '', ...state }: Scenario,
) => {
  const file = join(mkdtempSync(join(folder, 'run-')), 'scenario')
  writeFileSync(file, JSON.stringify({ responses: {}, made: [], ...state }))
  for (const name of ['calls', 'made']) writeFileSync(`${file}.${name}`, '')
  const child = startProcess(shell, [...OPTIONS[shell], '-c', commands], {
    cwd: dirname(file),
    env: {
      PATH: `${folder}:${process.env.PATH}`,
      PYTHON: python,
      PROGRAM: join(FOLDER, 'command.py'),
      RUNBOOK: file,
      ...variables,
    },
    stdio: ['pipe', 'ignore', 'pipe'],
  })
  let stderr = ''
  child.stderr?.on('data', (data) => {
    stderr += data
  })
  child.stdin?.on('error', () => {}) // A block that asks nothing may end first.
  child.stdin?.end(input)
  const [status] = await once(child, 'close')
  const linesOf = (name: string) => readFileSync(`${file}.${name}`, 'utf8').match(/.+/g) ?? []
  const made = [...(state.made ?? []), ...linesOf('made')]
  return { status: Number(status), calls: linesOf('calls'), made, stderr }
}
