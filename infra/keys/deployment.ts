import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation'
import type { DynamoDBClientConfig } from '@aws-sdk/client-dynamodb'
import type { KeyPrefix } from '../../shared/model/api-key.ts'
import { service } from '../../shared/service.ts'
import { CommandError } from '../command-line.ts'
import { type Announcement, placeholders, readAnnouncements } from '../local/announcement.ts'
import type { stages } from '../stages.ts'

type Stages = typeof stages

/**
 * The key prefix of each stage. It repeats what `stages` says, and the compiler checks that both agree: importing
 * `stages` would load CDK, which takes longer than the rest of a command.
 */
const keyPrefixes = { staging: 'test', production: 'live', local: 'local' } as const satisfies {
  [Name in keyof Stages]: Stages[Name]['keyPrefix']
} & { local: KeyPrefix }

/**
 * The deployment that a command works on. A prefix tells several copies in one AWS account apart, a base address several
 * local servers.
 */
export type Target = { stage: keyof typeof keyPrefixes; prefix: string; baseUrl?: string }

/** The command-line options that name a target. */
export const targetOptions = {
  stage: { type: 'string' },
  prefix: { type: 'string' },
  'base-url': { type: 'string' },
} as const

type TargetValues = { stage?: string; prefix?: string; 'base-url'?: string }

/**
 * Reads the target from the options of the command line.
 *
 * @throws CommandError if `--stage` is missing, or an option is invalid
 */
export const readTarget = ({ stage, prefix, 'base-url': baseUrl }: TargetValues): Target => {
  if (stage === undefined) throw new CommandError(`--stage is missing. ${CHOICE}`)
  if (!isStage(stage)) throw new CommandError(`There is no stage "${stage}". ${CHOICE}`)
  if (baseUrl !== undefined && stage !== 'local') throw new CommandError('--base-url is only for local servers.')
  if (prefix === undefined) return { stage, prefix: '', ...(baseUrl && { baseUrl: baseUrl.replace(/\/$/, '') }) }
  if (stage === 'local') throw new CommandError('--prefix is only for stages in AWS, not for the local server.')
  // CloudFormation's rule for stack names.
  if (/^[A-Za-z][A-Za-z0-9-]{0,99}$/.test(prefix)) return { stage, prefix }
  throw new CommandError('--prefix must have 1 to 100 letters, digits and hyphens, and must start with a letter.')
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
 * Finds the deployment of a target: from the outputs of its stack, or from the announcement of a local server. Of several
 * local servers it takes the one that started last, and says so on stderr.
 *
 * @throws CommandError if there is none
 */
export const findDeployment = async (target: Target): Promise<Deployment> => {
  const keyPrefix = keyPrefixes[target.stage]
  if (target.stage === 'local') return { ...(await findLocal(target.baseUrl)), keyPrefix }
  const outputOf = await readOutputs(stackNameOf(target))
  return { baseUrl: outputOf('BaseUrl'), apiKeysTable: outputOf('ApiKeysTable'), keyPrefix, database: {} }
}

const CHOICE = 'Use staging, production or local.'

const isStage = (name: string): name is Target['stage'] => Object.hasOwn(keyPrefixes, name)

const findLocal = async (wanted?: string): Promise<Omit<Deployment, 'keyPrefix'>> => {
  const announced = readAnnouncements(process.env)
  // A server that was killed leaves its announcement behind.
  const running = await Promise.all(announced.map(async (a) => ((await responds(a.endpoint)) ? [a] : [])))
  const { endpoint, baseUrl, apiKeysTable } = choose(running.flat(), wanted)
  const { AWS_REGION, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY } = { ...placeholders, ...process.env }
  const credentials = { accessKeyId: AWS_ACCESS_KEY_ID, secretAccessKey: AWS_SECRET_ACCESS_KEY }
  // The SDK refuses an endpoint in combination with the last two, which the environment may set.
  const address = { endpoint, region: AWS_REGION, useFipsEndpoint: false, useDualstackEndpoint: false }
  return { baseUrl, apiKeysTable, database: { ...address, credentials } }
}

const choose = (running: Announcement[], wanted?: string): Announcement => {
  const [latest] = running
  if (!latest)
    throw new CommandError('The local server is not running, or its database is unavailable. Start it with npm start.')
  const addresses = running.map(({ baseUrl }) => baseUrl).join(', ')
  if (wanted === undefined && running.length > 1)
    process.stderr.write(`Using ${latest.baseUrl}. Choose with --base-url: ${addresses}\n`)
  const chosen = wanted === undefined ? latest : running.find(({ baseUrl }) => baseUrl === wanted)
  if (!chosen) throw new CommandError(`No local server has the address ${wanted}. Choose from: ${addresses}`)
  return chosen
}

const responds = (endpoint: string): Promise<boolean> =>
  fetch(endpoint, { signal: AbortSignal.timeout(5000) }).then(
    () => true, // Whatever the status is.
    () => false,
  )

const stackNameOf = ({ stage, prefix }: Target): string =>
  `${prefix}${service.stack}${stage.charAt(0).toUpperCase()}${stage.slice(1)}`

const readOutputs = async (StackName: string): Promise<(name: string) => string> => {
  const client = new CloudFormationClient(timeouts)
  const { Stacks } = await client.send(new DescribeStacksCommand({ StackName })).catch(async (error) => {
    if (!/does not exist/.test(error.message)) throw error
    throw new CommandError(`There is no stack ${StackName} in ${await client.config.region()} of this AWS account.`)
  })
  const [stack] = Stacks ?? []
  if (!stack) throw new CommandError('Unexpected response from the CloudFormation endpoint.')
  return (name) => {
    const value = stack.Outputs?.find(({ OutputKey }) => OutputKey === name)?.OutputValue
    if (value) return value
    throw new CommandError(`The stack ${StackName} has no output ${name}. Deploy this version of the service first.`)
  }
}
