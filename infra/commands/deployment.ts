import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation'
import { Option } from '@commander-js/extra-typings'
import { type CollectionId, tableName, tableOutput } from '../../shared/data/tables.ts'
import type { KeyPrefix } from '../../shared/model/api-key.ts'
import { propertyNames } from '../../shared/model/names.ts'
import { service } from '../../shared/service.ts'
import { settings } from '../../shared/settings.ts'
import { sourcesDigest } from '../bundle/sources.ts'
import { CommandError, command, timeouts } from '../command-line.ts'
import {
  DEFAULT_PORT,
  localDatabase,
  namedDatabase,
  portOption,
  useDatabase,
} from '../local/database/database.ts'
import { stackName, stages } from '../stages.ts'

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

/** What commands need to know about a deployment. */
type Deployment = { baseUrl: string; apiKeysTable: string; keyPrefix: KeyPrefix }

/**
 * Finds a deployment by the outputs of its stack, or a local server by its port. This process then
 * uses its database. Throws a CommandError if there is none.
 */
export const findDeployment = async ({ stage, prefix, port }: Target): Promise<Deployment> => {
  if (stage === 'local') {
    await selectLocal(port)
    const baseUrl = `http://127.0.0.1:${port}${service.basePath}`
    return { baseUrl, apiKeysTable: tableName('apiKeys'), keyPrefix: 'local' }
  }
  const output = await outputsOf(stage, prefix)
  const apiKeysTable = output(tableOutput('apiKeys'))
  return { baseUrl: output('BaseUrl'), apiKeysTable, keyPrefix: stages[stage].keyPrefix }
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
  const output = await outputsOf(stage, prefix)
  if (output('Sources') !== sourcesDigest())
    throw new CommandError(
      'The stack was deployed from another version of shared. Check that version out, or deploy this one.',
    )
  process.env[settings.readShards] = output('ReadShards')
  process.env[settings.writeShards] = output('WriteShards')
  return output(tableOutput(id))
}

/** Lets this process use the database of a local server, unless the user has named another. */
const selectLocal = async (port: number): Promise<void> =>
  useDatabase(namedDatabase() ?? (await localDatabase(port)))

/** Returns a function that returns an output of a stack, or throws a CommandError. */
const outputsOf = async (stage: StageName, prefix = '') => {
  const StackName = prefix + stackName(stages[stage])
  const client = new CloudFormationClient(timeouts)
  const { Stacks } = await client
    .send(new DescribeStacksCommand({ StackName }))
    .catch(async (error) => {
      if (!/does not exist/.test(error.message)) throw error
      throw new CommandError(
        `There is no stack ${StackName} in ${await client.config.region()} of this AWS account.`,
      )
    })
  const outputs = new Map(
    Stacks?.[0]?.Outputs?.map(({ OutputKey, OutputValue }) => [OutputKey, OutputValue]),
  )
  return (name: string): string => {
    const value = outputs.get(name)
    if (value) return value
    throw new CommandError(
      `The stack ${StackName} has no output ${name}. Deploy this version first.`,
    )
  }
}
