import { functionSettings } from '../../../infra/gateway.ts'
import { exampleCredentials } from '../../support/secrets.ts'

const { memoryMegabytes } = functionSettings

/** What Lambda gives every function on Node.js 24, and what differs here: where the Runtime API is, and the log. */
export const lambdaEnvironment = {
  ...exampleCredentials,
  AWS_DEFAULT_REGION: 'eu-central-1',
  AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x',
  AWS_LAMBDA_FUNCTION_MEMORY_SIZE: `${memoryMegabytes}`,
  AWS_LAMBDA_FUNCTION_NAME: 'bench',
  AWS_LAMBDA_FUNCTION_VERSION: '1',
  AWS_LAMBDA_INITIALIZATION_TYPE: 'on-demand',
  AWS_LAMBDA_LOG_FORMAT: 'JSON',
  AWS_LAMBDA_LOG_GROUP_NAME: '/aws/lambda/bench',
  AWS_LAMBDA_LOG_STREAM_NAME: '2026/11/20/[1]0123456789abcdef0123456789abcdef',
  AWS_LAMBDA_RUNTIME_API: '127.0.0.1:9001', // Nobody is there, unless a start says where.
  AWS_REGION: 'eu-central-1',
  AWS_XRAY_CONTEXT_MISSING: 'LOG_ERROR',
  AWS_XRAY_DAEMON_ADDRESS: '127.0.0.1:2000',
  HOME: '/home/sbx_user1051', // Not there, in Lambda as here: so the SDK finds no files of settings.
  LANG: 'en_US.UTF-8',
  LD_LIBRARY_PATH: '/var/lang/lib:/lib64:/usr/lib64:/var/runtime:/var/runtime/lib:/var/task:/var/task/lib:/opt/lib',
  NODE_PATH: '/opt/nodejs/node24/node_modules:/opt/nodejs/node_modules:/var/runtime/node_modules',
  PATH: '/var/lang/bin:/usr/local/bin:/usr/bin/:/bin:/opt/bin',
  TZ: ':UTC',
}

const youngMegabytes = Math.floor(memoryMegabytes / 10)

/** How Lambda's bootstrap script starts Node.js 24. */
export const lambdaFlags = [
  '--expose-gc',
  '--max-http-header-size=81920',
  `--max-semi-space-size=${Math.floor(youngMegabytes / 2)}`,
  `--max-old-space-size=${memoryMegabytes - youngMegabytes}`,
]
