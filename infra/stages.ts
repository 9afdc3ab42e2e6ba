// Commands load this file, so it must not load CDK, which takes longer than the rest of a command.
import type { RemovalPolicy } from 'aws-cdk-lib'
import type { RetentionDays } from 'aws-cdk-lib/aws-logs'
import type { TableId } from '../shared/data/tables.ts'
import type { KeyPrefix } from '../shared/model/api-key.ts'
import { capitalized } from '../shared/model/names.ts'
import { service } from '../shared/service.ts'

/** Everything in which deployments differ. */
export type Stage = {
  /** The tag `stage` of all resources, and the end of the stack's name. */
  name: string
  /** The part of its API keys that names the stage. `local` is not deployed. */
  keyPrefix: Exclude<KeyPrefix, 'local'>
  /** Default: those of the shell. CDK refuses to deploy the stage to another account. */
  account?: string
  region?: string
  /** What happens to tables and logs that leave the stack, or whose stack is deleted. */
  onRemoval: keyof typeof RemovalPolicy
  /** Until this is off, DynamoDB does not delete the tables, nor CloudFormation the stack. */
  deletionProtection: boolean
  /** How many days back the tables can be restored to any second (1 to 35). */
  recoveryDays: number
  /** For each method: requests per second, and requests at once. More get a 429. */
  throttle: { rate: number; burst: number }
  /** In days. */
  logRetention: RetentionDays
  /** `canary` checks a version, then gives it 10 % of the requests for 10 minutes. */
  release: 'canary' | 'all-at-once'
  /**
   * Over how many shards the items of a collection are spread. Raise `readShards` first and
   * `writeShards` in a later release, because old and new code run side by side. Never lower them.
   */
  readShards: number
  writeShards: number
  /** Receives the alarms by e-mail, after confirming the subscription. */
  alarmEmail?: string
  /** A domain beside the default address: `api.example.com` for https://api.example.com/v1. */
  domainName?: string
  /** Switches the default address off, at once. Set it when no caller uses that any more. */
  domainOnly?: boolean
  /** The certificate of the custom domain (ACM, in the region of the stack). */
  certificateArn?: string
  /** The Route 53 zone for the DNS record of the domain. Without it, create that by hand. */
  hostedZone?: { id: string; name: string }
  /**
   * The base address for callers, if a CDN or a proxy gives the API another than its own:
   * `https://shop.example.com/api`. Links begin with it.
   */
  publicBaseUrl?: string
  /**
   * AWS WAF: how many requests one IP address, and one API key, may send in five minutes. More get
   * a 429.
   */
  firewall?: { perAddress: number; perKey: number }
  /** How many environments of each function may run at once. */
  reservedConcurrency?: number
  /** The DynamoDB client of the functions: `lean` starts faster, `sdk` has every command. */
  dynamoDBClient?: 'lean' | 'sdk'
  /**
   * Existing tables, such as restored ones. The first is used instead of the stack's own. Functions
   * keep the permissions for all: until the release is over, the live version uses the previous
   * one. To change the table again, insert a name before the others.
   */
  adopt?: { [Id in TableId]?: readonly string[] }
}

export const stages = {
  staging: {
    name: 'staging',
    keyPrefix: 'test',
    onRemoval: 'DESTROY',
    deletionProtection: false,
    recoveryDays: 1,
    throttle: { rate: 50, burst: 100 },
    logRetention: 14,
    release: 'all-at-once',
    readShards: 1,
    writeShards: 1,
  },
  production: {
    name: 'production',
    keyPrefix: 'live',
    onRemoval: 'RETAIN',
    deletionProtection: true,
    recoveryDays: 35,
    throttle: { rate: 1000, burst: 2000 },
    logRetention: 90,
    release: 'canary',
    readShards: 1,
    writeShards: 1,
  },
} as const satisfies Record<string, Stage>

/** The name of a stage's stack. */
export const stackName = ({ name }: Pick<Stage, 'name'>): string =>
  `${service.stack}${capitalized(name)}`

/** A mistake in the contract, a stage or the CDK context. Its author sees only the message. */
export class ConfigurationError extends Error {}

/**
 * A stage with a context such as `-c prefix=Blue -c release=all-at-once`. With a prefix, it is a
 * separate copy, such as that of a pull request, with tables and an address of its own.
 */
export const deployedStage = (
  stage: Stage,
  { prefix = '', release = stage.release }: { prefix?: string; release?: Stage['release'] },
): Stage => {
  if (!['canary', 'all-at-once'].includes(release))
    throw new ConfigurationError('The context value "release" must be canary or all-at-once.')
  if (!/^([a-z][a-z0-9-]{0,63})?$/i.test(prefix))
    throw new ConfigurationError(
      'The context value "prefix" must be a letter, and up to 63 letters, digits and hyphens.',
    )
  return { ...stage, ...(prefix && notOfCopies), release }
}

const notOfCopies = {
  adopt: undefined,
  alarmEmail: undefined,
  firewall: undefined,
  reservedConcurrency: undefined,
  domainName: undefined,
  domainOnly: undefined,
  certificateArn: undefined,
  hostedZone: undefined,
  publicBaseUrl: undefined,
} satisfies Partial<Stage>

/**
 * Why a stage would not work; `undefined` if it would. CDK itself checks the values of properties
 * when it synthesizes a stack.
 */
export const stageProblem = (stage: Stage): string | undefined => {
  const { readShards, writeShards, domainName, certificateArn, hostedZone, domainOnly } = stage
  const { publicBaseUrl, firewall } = stage
  const isCount = (value: number) => Number.isInteger(value) && value > 0
  if (!isCount(readShards) || !isCount(writeShards) || writeShards > readShards)
    return (
      `has readShards ${readShards} and writeShards ${writeShards}. Both must be positive ` +
      'integers, and writeShards must not exceed readShards, because lists miss items in ' +
      'shards that are not read.'
    )
  if (
    (domainName === undefined) !== (certificateArn === undefined) ||
    ((hostedZone || domainOnly) && !domainName)
  )
    return (
      'must have both domainName and certificateArn, or neither; ' +
      'hostedZone and domainOnly need both.'
    )
  if (publicBaseUrl !== undefined && !isBaseUrl(publicBaseUrl))
    return (
      'must have a publicBaseUrl such as https://shop.example.com/api: with https, and without a ' +
      'user, query, fragment or final slash.'
    )
  if (firewall && !Object.values(firewall).every((rate) => isCount(rate) && rate >= LEAST_RATE))
    return `must have a firewall with integers of at least ${LEAST_RATE}, the least of AWS WAF.`
  return undefined
}

const LEAST_RATE = 10 // Requests in five minutes.

const isBaseUrl = (text: string): boolean => {
  const url = URL.parse(text)
  if (url?.protocol !== 'https:') return false
  return text === `${url.origin}${url.pathname.replace(/\/$/, '')}`
}

/** How many functions a canary can move: Lambda takes 15 changes a second. */
const MOST_WITH_CANARY = 12

/** What is unwise in a stage with so many operations, by the ids with which CDK acknowledges it. */
export const stageWarnings = (
  { alarmEmail, release }: Stage,
  operations: number,
): Record<string, string> => ({
  ...(!alarmEmail && {
    noAlarmEmail: 'sends its alarms to nobody. Set alarmEmail in infra/stages.ts.',
  }),
  ...(release === 'canary' &&
    operations > MOST_WITH_CANARY && {
      manyOperations:
        `releases ${operations} operations by a canary, which may fail with more than ` +
        `${MOST_WITH_CANARY}. Set release to 'all-at-once' in infra/stages.ts.`,
    }),
})
