import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync } from 'node:fs'
import { devNull } from 'node:os'
import { fileURLToPath } from 'node:url'
import { CommandError } from '../../../infra/command-line.ts'
import type { DynamoDb } from '../dynamodb/start-dynamodb.ts'
import { endWithThis } from '../end-with-this.ts'
import type { Subject } from '../subjects/subject.ts'
import { lambdaEnvironment, lambdaFlags } from './lambda-environment.ts'

/** Where functions run: the program that is Lambda's runtime client, and the DynamoDB that they reach. */
export type Surroundings = { runtimeClient: string; dynamodb: Pick<DynamoDb, 'endpoint' | 'authorityFile'> }

/** What stands in for the runtime client's addon, by its path below test/bench; and what it needs. */
type Client = { file: string; channel: 'ipc' | 'ignore'; env?: Record<string, string> }

/** A function in a process of its own. `failed` rejects when that ends by itself. */
export type Started = { child: ChildProcess; failed: Promise<never>; stop: () => Promise<void> }

/** Starts a function as Lambda does. Its log goes nowhere. */
export const startFunction = (subject: Subject, surroundings: Surroundings, client: Client): Started => {
  const preload = fileURLToPath(new URL(`../${client.file}`, import.meta.url))
  const log = openSync(devNull, 'w')
  const child = spawn(process.execPath, [...lambdaFlags, '--require', preload, surroundings.runtimeClient], {
    stdio: ['ignore', 'pipe', 'pipe', log, client.channel],
    env: { ...environmentOf(subject, surroundings), ...client.env },
  })
  closeSync(log)
  endWithThis(child)
  const exited = once(child, 'exit')
  const output = outputOf(child)
  const failed = exited.then(([code, signal]) => {
    throw new CommandError(`${subject.name} ended with ${code ?? signal}: ${output()}`)
  })
  failed.catch(() => {}) // It is stopped, in the end.
  const stop = async () => {
    child.kill('SIGKILL')
    await exited
  }
  return { child, failed, stop }
}

const environmentOf = (
  { environment, folder, handler }: Subject,
  { dynamodb }: Surroundings,
): Record<string, string> => ({
  ...lambdaEnvironment,
  ...environment,
  _HANDLER: handler,
  _LAMBDA_TELEMETRY_LOG_FD: '3',
  AWS_ENDPOINT_URL_DYNAMODB: dynamodb.endpoint,
  BENCH_AUTHORITY: dynamodb.authorityFile,
  LAMBDA_TASK_ROOT: folder,
})

const outputOf = (child: ChildProcess): (() => string) => {
  let text = ''
  for (const output of [child.stdout, child.stderr]) {
    output?.on('data', (chunk) => {
      text = `${text}${chunk}`.slice(-2000)
    })
  }
  return () => text
}
