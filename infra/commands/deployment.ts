import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation'
import { GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts'
import { Option } from '@commander-js/extra-typings'
import { type CollectionId, tableName, tableOutput } from '../../shared/data/tables.ts'
import type { KeyPrefix } from '../../shared/model/api-key.ts'
import { propertyNames } from '../../shared/model/names.ts'
import { service } from '../../shared/service.ts'
import { settings } from '../../shared/settings.ts'
import { CommandError, command } from '../command-line.ts'
import {
  DEFAULT_PORT,
  namedDatabase,
  portOption,
  serverDatabase,
  useDatabase,
} from '../local/database/local-database.ts'
import { sourcesDigest } from '../sources-digest.ts'
import { type Stage, stackName, stages } from '../stages.ts'
import { awsConnection, trustCertificates } from './connection.ts'

type StageName = keyof typeof stages

/** Selects a deployment: a prefix one of several copies in an account, a port a local server. */
type Target = { stage: StageName | 'local'; prefix?: string | undefined; port: number }

/** Creates a command with the options of a `Target`. */
export const deploymentCommand = (call: string, description: string) => {
  const stage = new Option('--stage <stage>', 'required; local is the local server on this machine')
    .choices([...propertyNames(stages), 'local'])
    .makeOptionMandatory()
  return command(call, description)
    .addOption(stage)
    .option(
      '--prefix <prefix>',
      'prefix of the stack names, if several copies share an AWS account',
    )
    .addOption(portOption('port of the local server').default(DEFAULT_PORT))
}

/**
 * What commands need to know about a deployment. `name` is that of its stack, or of a local server
 * with its port; `operator` is the ARN of the user or role whose credentials they have, or `local`.
 */
export type Deployment = {
  name: string
  baseUrl: string
  apiKeysTable: string
  keyPrefix: KeyPrefix
  operator: string
}

/**
 * Finds a deployment by the outputs of its stack, or a local server by its port. This process then
 * uses its database. Throws a CommandError if there is none, or if it is in another account.
 */
export const findDeployment = async ({ stage, prefix, port }: Target): Promise<Deployment> => {
  if (stage === 'local') {
    await selectLocal(port)
    const baseUrl = `http://127.0.0.1:${port}${service.basePath}`
    const apiKeysTable = tableName('apiKeys')
    const name = `${service.stack}Local${port}`
    return { name, baseUrl, apiKeysTable, keyPrefix: 'local', operator: 'local' }
  }
  const { name, operator, output } = await findStack(stage, prefix)
  const apiKeysTable = output(tableOutput('apiKeys'))
  const { keyPrefix } = stages[stage]
  return { name, baseUrl: output('BaseUrl'), apiKeysTable, keyPrefix, operator }
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
    await selectLocal(port)
    return tableName(id)
  }
  const { output } = await findStack(stage, prefix)
  if (output('Sources') !== sourcesDigest())
    throw new CommandError(
      'The stack was deployed from another version of shared. ' +
        'Check that version out, or deploy this one.',
    )
  process.env[settings.readShards] = output('ReadShards')
  process.env[settings.writeShards] = output('WriteShards')
  return output(tableOutput(id))
}

/** Lets this process use the database of a local server, unless the user has named another. */
const selectLocal = async (port: number): Promise<void> =>
  useDatabase(namedDatabase() ?? (await serverDatabase(port)))

/** A stack: `output` returns one of its outputs, or throws a CommandError. */
type FoundStack = { name: string; operator: string; output: (name: string) => string }

const findStack = async (stage: StageName, prefix = ''): Promise<FoundStack> => {
  trustCertificates()
  selectRegion(stages[stage])
  const { account, operator } = await findOperator(stages[stage])
  const StackName = prefix + stackName(stages[stage])
  const client = new CloudFormationClient(awsConnection())
  const { Stacks } = await client
    .send(new DescribeStacksCommand({ StackName }))
    .catch(async (error) => {
      if (!/does not exist/.test(error.message)) throw error
      const place = `${await client.config.region()} of the account ${account}`
      throw new CommandError(`There is no stack ${StackName} in ${place}.`)
    })
  const outputs = Stacks?.[0]?.Outputs ?? []
  const output = (name: string): string => {
    const value = outputs.find(({ OutputKey }) => OutputKey === name)?.OutputValue
    if (value) return value
    throw new CommandError(
      `The stack ${StackName} has no output ${name}. Deploy this version first.`,
    )
  }
  return { name: StackName, operator, output }
}

/** Lets all AWS clients of this process use the region that the stage pins, if it pins one. */
const selectRegion = ({ name, region }: Stage): void => {
  const { AWS_REGION } = process.env
  if (!region) return
  if (AWS_REGION && AWS_REGION !== region)
    console.error(`The stage ${name} is in ${region}, so AWS_REGION (${AWS_REGION}) is ignored.`)
  process.env.AWS_REGION = region
}

/** Asks AWS whose credentials these are. Throws a CommandError if the stage is elsewhere. */
const findOperator = async ({ name, account: pinned }: Stage) => {
  const client = new STSClient(awsConnection())
  const { Account: account = '', Arn: operator = '' } = await client.send(
    new GetCallerIdentityCommand(),
  )
  if (pinned && account !== pinned)
    throw new CommandError(
      `The stage ${name} is in the account ${pinned}, but these credentials are of ${account}. ` +
        'Set AWS_PROFILE to use others.',
    )
  return { account, operator }
}
