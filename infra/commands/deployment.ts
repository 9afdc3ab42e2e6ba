import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation'
import { GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts'
import { Option } from '@commander-js/extra-typings'
import { type CollectionId, tableName, tableOutput } from '../../shared/data/tables.ts'
import type { KeyPrefix } from '../../shared/model/api-key.ts'
import { propertyNames } from '../../shared/model/names.ts'
import { service } from '../../shared/service.ts'
import { settings } from '../../shared/settings.ts'
import { collectionsDigest } from '../bundle/collections-digest.ts'
import { CommandError, command } from '../command-line.ts'
import { DEFAULT_PORT, portOption, useRunningDatabase } from '../local/database/local-database.ts'
import { LOOPBACK } from '../local/ports.ts'
import { type Stage, stackName, stages } from '../stages.ts'
import { awsOptions, useAwsEnvironment } from './aws.ts'

/** Selects a deployment: a prefix one of several copies in an account, a port a local server. */
type Target = { stage: keyof typeof stages | 'local'; prefix?: string | undefined; port: number }

/** Creates a command with the options of a `Target`. */
export const deploymentCommand = (call: string, description: string) => {
  const stage = new Option('--stage <stage>', 'required; local is the local server on this machine')
    .choices([...propertyNames(stages), 'local'])
    .makeOptionMandatory()
  return command(call, description)
    .addOption(stage)
    .option('--prefix <prefix>', 'the prefix of a copy, such as Blue')
    .addOption(portOption('port of the local server').default(DEFAULT_PORT))
}

/** What commands need to know about a deployment. */
export type Deployment = {
  /** That of its stack, or of a local server with its port. */
  name: string
  baseUrl: string
  apiKeysTable: string
  keyPrefix: KeyPrefix
  /** The ARN of the user or role whose credentials the command has, or `local`. */
  operator: string
  /** How many requests a command sends in a second: fewer than the throttle. */
  perSecond: number
  /** By how much the clock of AWS is ahead of this machine's, in milliseconds. */
  clockOffset: number
}

const PER_SECOND = 200

/**
 * Finds a deployment by the outputs of its stack, or a local server by its port. This process then
 * uses its database. Throws a CommandError if there is none, or if it is in another account.
 */
export const findDeployment = async ({ stage, prefix, port }: Target): Promise<Deployment> => {
  if (stage === 'local') {
    await useRunningDatabase(port)
    return {
      name: `${service.stack}Local${port}`,
      baseUrl: `http://${LOOPBACK}:${port}${service.basePath}`,
      apiKeysTable: tableName('apiKeys'),
      keyPrefix: 'local',
      operator: 'local',
      perSecond: PER_SECOND,
      clockOffset: 0,
    }
  }
  const { output, ...found } = await findStack(stages[stage], prefix)
  const { keyPrefix, throttle } = stages[stage]
  return {
    ...found,
    baseUrl: output('BaseUrl'),
    apiKeysTable: output(tableOutput('apiKeys')),
    keyPrefix,
    perSecond: Math.min(PER_SECOND, 0.8 * throttle.rate),
  }
}

/**
 * Finds the table of a collection in a deployment, whose shards this process then uses. Throws a
 * CommandError if there is none, or if other sources were deployed: they may store other forms.
 */
export const findTable = async (
  { stage, prefix, port }: Target,
  id: CollectionId,
): Promise<string> => {
  if (stage === 'local') {
    await useRunningDatabase(port)
    return tableName(id)
  }
  const { output } = await findStack(stages[stage], prefix)
  if (output('Sources') !== collectionsDigest())
    throw new CommandError(
      'The stack was deployed from another version of shared. ' +
        'Check that version out, or deploy this one.',
    )
  process.env[settings.readShards] = output('ReadShards')
  process.env[settings.writeShards] = output('WriteShards')
  return output(tableOutput(id))
}

/**
 * Finds a stack, and says where. Its `output` returns one of its outputs, or throws a CommandError.
 */
const findStack = async (stage: Stage, prefix = '') => {
  await useAwsEnvironment(stage.region)
  const { account, operator, clockOffset } = await findOperator(stage)
  const name = prefix + stackName(stage)
  console.error(`Using ${name} in ${process.env.AWS_REGION} of the account ${account}`)
  const client = new CloudFormationClient(awsOptions())
  const { Stacks } = await client.send(new DescribeStacksCommand({ StackName: name }))
  const output = (key: string): string => {
    const value = Stacks?.[0]?.Outputs?.find(({ OutputKey }) => OutputKey === key)?.OutputValue
    if (value) return value
    throw new CommandError(`The stack ${name} has no output ${key}. Deploy this version first.`)
  }
  return { name, operator, clockOffset, output }
}

/** Asks AWS whose credentials these are. Throws a CommandError if the stage is elsewhere. */
const findOperator = async ({ name, account: pinned }: Stage) => {
  const client = new STSClient(awsOptions())
  const { Account: account = '', Arn: operator = '' } = await client.send(
    new GetCallerIdentityCommand(),
  )
  if (pinned && account !== pinned)
    throw new CommandError(
      `The stage ${name} is in the account ${pinned}, but these credentials are of ${account}. ` +
        'Set AWS_PROFILE to use others.',
    )
  // The SDK corrects this machine's clock by it.
  return { account, operator, clockOffset: client.config.systemClockOffset }
}
