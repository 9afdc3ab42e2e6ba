import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation'
import type { DynamoDBClientConfig } from '@aws-sdk/client-dynamodb'
import type { KeyPrefix } from '../../shared/model/api-key.ts'
import { CommandError } from '../command-line.ts'
import { placeholders, readAnnouncement } from '../local/announcement.ts'
import type { stages } from '../stages.ts'

type Stages = typeof stages

/**
 * The stages that there are keys for, and the part of a key that says so. It says again what `stages` does, which the
 * compiler checks: to load that takes longer than all else that a command does, since it loads CDK.
 */
export const keyPrefixes = { staging: 'test', production: 'live', local: 'local' } as const satisfies {
  [Name in keyof Stages]: Stages[Name]['keyPrefix']
} & { local: KeyPrefix }

/** Which deployment a command works on. Several copies of the stacks may be in one account, told apart by a prefix. */
export type Target = { stage: keyof typeof keyPrefixes; prefix: string }

/** The options of the command line that name a target. */
export const targetOptions = { stage: { type: 'string' }, prefix: { type: 'string' } } as const

/** The target that the command line names. Throws a CommandError that says what is wrong with it. */
export const readTarget = ({ stage, prefix }: { stage?: string; prefix?: string }): Target => {
  if (stage === undefined) throw new CommandError(`Say which stage with --stage: ${CHOICE}.`)
  if (!isStage(stage)) throw new CommandError(`There is no stage "${stage}". Take ${CHOICE}.`)
  if (prefix === undefined) return { stage, prefix: '' }
  if (stage === 'local') throw new CommandError('--prefix is for stages in AWS; the local server has none.')
  // CloudFormation's rule for names of stacks.
  if (/^[A-Za-z][A-Za-z0-9-]{0,99}$/.test(prefix)) return { stage, prefix }
  throw new CommandError('--prefix takes 1 to 100 letters, digits and hyphens, of which the first is a letter.')
}

/** The name of a target's stack. */
export const stackNameOf = ({ stage, prefix }: Target): string =>
  `${prefix}PetStore${stage.charAt(0).toUpperCase()}${stage.slice(1)}`

const CHOICE = 'staging, production or local'

const isStage = (name: string): name is Target['stage'] => Object.hasOwn(keyPrefixes, name)

/** A deployment as the commands need it. */
export type Deployment = {
  baseUrl: string
  apiKeysTable: string
  keyPrefix: KeyPrefix
  /** How its DynamoDB is reached, where the environment does not say it. */
  database: DynamoDBClientConfig
}

/** How long a command waits for AWS: from far away, and on bad days, longer than a function does. */
export const patience = {
  requestHandler: { connectionTimeout: 5000, requestTimeout: 10_000, throwOnRequestTimeout: true },
}

/** Finds what a target names. Throws a CommandError where there is no such deployment. */
export const findDeployment = async (target: Target): Promise<Deployment> => {
  if (target.stage === 'local') return findLocal()
  const outputs = await outputsOf(stackNameOf(target))
  const keyPrefix = keyPrefixes[target.stage]
  return { baseUrl: outputs('BaseUrl'), apiKeysTable: outputs('ApiKeysTable'), keyPrefix, database: {} }
}

const findLocal = async (): Promise<Deployment> => {
  const announced = readAnnouncement(process.env)
  if (!announced || !(await answers(announced.endpoint)))
    throw new CommandError(
      'No local server was found: the one that was started last has ended, or its database is away. See npm start.',
    )
  const { endpoint, baseUrl, apiKeysTable } = announced
  const { AWS_REGION, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY } = { ...placeholders, ...process.env }
  const credentials = { accessKeyId: AWS_ACCESS_KEY_ID, secretAccessKey: AWS_SECRET_ACCESS_KEY }
  return {
    baseUrl,
    apiKeysTable,
    keyPrefix: keyPrefixes.local,
    database: { endpoint, region: AWS_REGION, credentials },
  }
}

// A server that was killed leaves its announcement behind. Whatever its database answers shows that it is there.
const answers = (endpoint: string): Promise<boolean> =>
  fetch(endpoint, { signal: AbortSignal.timeout(5000) }).then(
    () => true,
    () => false,
  )

const outputsOf = async (StackName: string): Promise<(name: string) => string> => {
  const client = new CloudFormationClient(patience)
  const { Stacks } = await client.send(new DescribeStacksCommand({ StackName })).catch(async (error) => {
    if (!/does not exist/.test(error.message)) throw error
    throw new CommandError(`There is no stack ${StackName} in ${await client.config.region()} of this AWS account.`)
  })
  const [stack] = Stacks ?? []
  if (!stack) throw new CommandError('What answers in the place of CloudFormation is not CloudFormation.')
  return (name) => {
    const value = stack.Outputs?.find(({ OutputKey }) => OutputKey === name)?.OutputValue
    if (value) return value
    throw new CommandError(`The stack ${StackName} has no output ${name}. Deploy it again with this version.`)
  }
}
