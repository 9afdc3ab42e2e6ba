import { openSync } from 'node:fs'
import { devNull } from 'node:os'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { CommandError } from '../../infra/command-line.ts'
import { functionSettings } from '../../infra/platform/functions.ts'
import type { ProxyResult } from '../../shared/pipeline/gateway-event.ts'
import { startProcess } from '../support/process.ts'
import { exampleCredentials } from '../support/secrets.ts'
import type { DynamoDb } from './dynamodb.ts'
import { runtimeClient } from './peers.ts'
import type { Subject } from './subjects.ts'

/** What `preload.cjs` reports: the figures and the result of the first call, or an error. */
type Report = { figures: Record<string, number>; result?: ProxyResult; error?: string }

/**
 * Starts a function in a new process as Lambda does, and calls it. Its log and its standard output
 * are discarded. Throws a CommandError if it does not respond.
 */
export const callFunction = async (subject: Subject, dynamodb: DynamoDb): Promise<Report> => {
  const child = startProcess(
    process.execPath,
    [...lambdaFlags, '--require', PRELOAD, runtimeClient],
    {
      stdio: ['ignore', 'ignore', 'inherit', log, 'pipe'],
      env: environmentOf(subject, dynamodb),
    },
  )
  const report = await text(child.stdio[4] as Readable) // Because it is a pipe.
  if (!report) throw new CommandError(`${subject.name} ended without a response.`)
  return JSON.parse(report)
}

const log = openSync(devNull, 'w')
const PRELOAD = fileURLToPath(new URL('preload.cjs', import.meta.url))

const { memoryMegabytes } = functionSettings
const youngMegabytes = Math.floor(memoryMegabytes / 10)

/** The options with which Lambda's bootstrap script starts Node.js 24. */
const lambdaFlags = [
  '--expose-gc',
  '--max-http-header-size=81920',
  `--max-semi-space-size=${Math.floor(youngMegabytes / 2)}`,
  `--max-old-space-size=${memoryMegabytes - youngMegabytes}`,
]

/**
 * The variables that Lambda sets on Node.js 24, as far as something reads them, and those for
 * `preload.cjs`.
 */
const environmentOf = ({ environment, folder, handler, event }: Subject, dynamodb: DynamoDb) => ({
  ...exampleCredentials,
  AWS_ENDPOINT_URL_DYNAMODB: dynamodb.endpoint,
  AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x',
  AWS_LAMBDA_FUNCTION_MEMORY_SIZE: `${memoryMegabytes}`,
  AWS_LAMBDA_FUNCTION_NAME: 'bench',
  AWS_LAMBDA_FUNCTION_VERSION: '1',
  AWS_LAMBDA_INITIALIZATION_TYPE: 'on-demand',
  AWS_LAMBDA_LOG_FORMAT: 'JSON',
  AWS_LAMBDA_LOG_GROUP_NAME: '/aws/lambda/bench',
  AWS_LAMBDA_LOG_STREAM_NAME: '2026/11/20/[1]0123456789abcdef0123456789abcdef',
  // Nothing listens there, because `preload.cjs` hands over the invocations. A function that cannot
  // be loaded therefore ends with ECONNREFUSED, because the runtime client reports the error there.
  AWS_LAMBDA_RUNTIME_API: '127.0.0.1:9001',
  AWS_REGION: 'eu-central-1',
  AWS_XRAY_CONTEXT_MISSING: 'LOG_ERROR',
  AWS_XRAY_DAEMON_ADDRESS: '127.0.0.1:2000',
  BENCH_CERTIFICATE: dynamodb.certificateFile,
  BENCH_EVENT: JSON.stringify(event),
  // Does not exist, in Lambda either: the SDK finds no configuration files.
  HOME: '/home/sbx_user1051',
  LAMBDA_TASK_ROOT: folder,
  _HANDLER: handler,
  _LAMBDA_TELEMETRY_LOG_FD: '3',
  ...environment,
})
