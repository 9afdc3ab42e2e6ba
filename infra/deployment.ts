import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation'
import type { DynamoDBClientConfig } from '@aws-sdk/client-dynamodb'
import { Option } from '@commander-js/extra-typings'
import type { KeyPrefix } from '../shared/model/api-key.ts'
import { service } from '../shared/service.ts'
import { CommandError, command, wholeNumber } from './command-line.ts'
import { type Announcement, readAnnouncements } from './local/announcement.ts'
import { placeholders } from './local/credentials.ts'
import type { stages } from './stages.ts'

type Stages = typeof stages

/**
 * The key prefix of each stage. It repeats what `stages` says, and the compiler checks that both agree: importing
 * `stages` would load CDK, which takes longer than the rest of a command.
 */
const keyPrefixes = { staging: 'test', production: 'live', local: 'local' } as const satisfies {
  [Name in keyof Stages]: Stages[Name]['keyPrefix']
} & { local: KeyPrefix }

/** Selects a deployment. A prefix tells several copies in one AWS account apart, a port several local servers. */
type Target = { stage: keyof typeof keyPrefixes; prefix?: string | undefined; port?: number | undefined }

/** Creates a command with the options of a `Target`. */
export const deploymentCommand = (call: string, description: string) => {
  const stage = new Option('--stage <stage>', 'the stage to work on; local is the local server on this machine')
    .choices(['staging', 'production', 'local'] as const)
    .makeOptionMandatory()
  return command(call, description)
    .addOption(stage)
    .option('--prefix <prefix>', 'prefix of the stack names, if several copies share an AWS account')
    .option('--port <number>', 'port of the local server, if several run', wholeNumber(1, 65_535))
}

/** What commands need to know about a deployment. */
export type Deployment = {
  baseUrl: string
  apiKeysTable: string
  keyPrefix: KeyPrefix
  /** Settings of the DynamoDB client that the environment does not have. */
  database: DynamoDBClientConfig
}

/** Timeouts for AWS. They are longer than a function's, because operators may be far from the region. */
export const timeouts = {
  requestHandler: { connectionTimeout: 5000, requestTimeout: 10_000, throwOnRequestTimeout: true },
}

/**
 * Finds a deployment: from the outputs of its stack, or from the announcement of a local server. Of several local
 * servers it takes the one that started last, and says so on stderr. Throws a CommandError if there is none.
 */
export const findDeployment = async ({ stage, prefix, port }: Target): Promise<Deployment> => {
  const keyPrefix = keyPrefixes[stage]
  if (stage !== 'local') return { ...(await findStack(stackName(stage, prefix))), keyPrefix, database: {} }
  const { endpoint, baseUrl, apiKeysTable } = await findServer(port)
  const region = process.env.AWS_REGION ?? placeholders.AWS_REGION
  // Never the developer's own, whatever the announcement says.
  const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey } = placeholders
  // The SDK refuses an endpoint in combination with these, which the environment may set.
  const options = { useFipsEndpoint: false, useDualstackEndpoint: false }
  const database = { endpoint, region, credentials: { accessKeyId, secretAccessKey }, ...options }
  return { baseUrl, apiKeysTable, keyPrefix, database }
}

const findServer = async (port?: number): Promise<Announcement> => {
  const announced = readAnnouncements(process.env)
  const check = ({ endpoint }: Announcement) => fetch(endpoint, { signal: AbortSignal.timeout(5000) })
  // A server that was killed leaves its announcement behind. Any response will do, whatever its HTTP status is.
  const responses = await Promise.allSettled(announced.map(check))
  const running = announced.filter((_, i) => responses[i]?.status === 'fulfilled')
  const addresses = running.map(({ baseUrl }) => baseUrl).join(', ')
  const chosen = running.find(({ baseUrl }) => port === undefined || new URL(baseUrl).port === String(port))
  if (!addresses)
    throw new CommandError('The local server is not running, or its database is unavailable. Start it with npm start.')
  if (!chosen) throw new CommandError(`No local server has the port ${port}. Choose from: ${addresses}`)
  if (port === undefined && running.length > 1)
    process.stderr.write(`Using ${chosen.baseUrl}. Choose with --port: ${addresses}\n`)
  return chosen
}

const stackName = (stage: string, prefix = ''): string =>
  `${prefix}${service.stack}${stage.charAt(0).toUpperCase()}${stage.slice(1)}`

const findStack = async (StackName: string): Promise<{ baseUrl: string; apiKeysTable: string }> => {
  const client = new CloudFormationClient(timeouts)
  const { Stacks } = await client.send(new DescribeStacksCommand({ StackName })).catch(async (error) => {
    if (!/does not exist/.test(error.message)) throw error
    throw new CommandError(`There is no stack ${StackName} in ${await client.config.region()} of this AWS account.`)
  })
  const outputs = new Map(Stacks?.[0]?.Outputs?.map(({ OutputKey, OutputValue }) => [OutputKey, OutputValue]))
  const [baseUrl, apiKeysTable] = [outputs.get('BaseUrl'), outputs.get('ApiKeysTable')]
  if (baseUrl && apiKeysTable) return { baseUrl, apiKeysTable }
  throw new CommandError(`The stack ${StackName} has no outputs BaseUrl and ApiKeysTable. Deploy this version first.`)
}
