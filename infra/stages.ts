import { type App, RemovalPolicy } from 'aws-cdk-lib'
import { RetentionDays } from 'aws-cdk-lib/aws-logs'
import type { tables } from '../shared/data/tables.ts'
import type { KeyPrefix } from '../shared/model/api-key.ts'

/** Everything in which deployments differ. */
export type Stage = {
  /** The part of an API key that says where it is good. `local` is a developer's machine, which is not deployed. */
  keyPrefix: Exclude<KeyPrefix, 'local'>
  /** What becomes of the pets, the API keys and the logs when the stack, or one of them, is removed from it. */
  data: RemovalPolicy
  /** Whether DynamoDB refuses to delete a table, whoever asks, until this is switched off. */
  deletionProtection: boolean
  /** Any second of so many days past can be restored (1 to 35). */
  recoveryDays: number
  /** Requests to each method, a second and at once, before the API answers 429. */
  throttle: { rate: number; burst: number }
  logRetention: RetentionDays
  /** `canary` sends 10 % of the requests to a new version for 5 minutes, and takes it back when an alarm goes off. */
  release: 'canary' | 'all-at-once'
  /**
   * Over how many partitions of the index `byStatus` the pets of one status spread. To raise them, raise
   * `readShards` first and `writeShards` in a later release: while traffic shifts, old and new code run side by side.
   * They never go down.
   */
  readShards: number
  writeShards: number
  /** Who is told of alarms. They have to confirm the subscription by e-mail. */
  alarmEmail?: string
  /** The name under which the API is found, in place of API Gateway's: `api.example.com` makes https://api.example.com/v1. */
  domainName?: string
  /** The certificate for it (ACM, in the region of the stack). */
  certificateArn?: string
  /** The Route 53 zone that gets the record for it. Without it, the record is made by hand. */
  hostedZone?: { id: string; name: string }
  /** Of each function: at most so many at once, or so many kept warm. */
  reservedConcurrency?: number
  provisionedConcurrency?: number
  /** Tables that exist, by name, to use in place of the stack's own: what a restore to a point in time makes. */
  adopt?: { [Name in keyof typeof tables]?: string }
}

export const stages = {
  staging: {
    keyPrefix: 'test',
    data: RemovalPolicy.DESTROY,
    deletionProtection: false,
    recoveryDays: 1,
    throttle: { rate: 50, burst: 100 },
    logRetention: RetentionDays.TWO_WEEKS,
    release: 'all-at-once',
    readShards: 1,
    writeShards: 1,
  },
  production: {
    keyPrefix: 'live',
    data: RemovalPolicy.RETAIN,
    deletionProtection: true,
    recoveryDays: 35,
    throttle: { rate: 1000, burst: 2000 },
    logRetention: RetentionDays.THREE_MONTHS,
    release: 'canary',
    readShards: 1,
    writeShards: 1,
  },
} as const satisfies Record<string, Stage>

/** A stage that must not be deployed. Its message is for whoever edits the stages. */
export class StageError extends Error {}

/** Refuses a stage that would deploy and then not work. Throws StageError. */
export const checkStage = (stackName: string, stage: Stage): void => {
  const { readShards, writeShards, recoveryDays, domainName, certificateArn, hostedZone } = stage
  const counts = [readShards, writeShards]
  if (!counts.every((count) => Number.isInteger(count) && count > 0) || writeShards > readShards) {
    throw new StageError(
      `${stackName} has readShards ${readShards} and writeShards ${writeShards}: both must be positive integers, and ` +
        'writeShards at most readShards, since lists find no pet that is written to a partition they do not read.',
    )
  }
  if (!Number.isInteger(recoveryDays) || recoveryDays < 1 || recoveryDays > 35) {
    throw new StageError(`${stackName} has recoveryDays ${recoveryDays}: DynamoDB takes 1 to 35.`)
  }
  if ((domainName === undefined) !== (certificateArn === undefined) || (hostedZone && !domainName)) {
    throw new StageError(`${stackName} needs domainName and certificateArn together; hostedZone only with them.`)
  }
}

/** What the command line says: `-c prefix=Blue -c release=all-at-once`. */
export type Context = { prefix: string; change: Partial<Stage> }

/**
 * Reads the context of the command line. `prefix` makes BluePetStoreStaging of PetStoreStaging: several copies in one
 * account and region. `release` is for one that must not wait: the way back, or to a table that was restored.
 *
 * @throws StageError where CloudFormation would not take the prefix, or there is no such release
 */
export const readContext = ({ node }: App): Context => {
  const prefix = node.tryGetContext('prefix') ?? ''
  const release = node.tryGetContext('release')
  if (!/^([A-Za-z][A-Za-z0-9-]{0,99})?$/.test(prefix)) {
    const taken = '1 to 100 letters, digits and hyphens, of which the first is a letter'
    throw new StageError(`The context "prefix" takes ${taken}.`)
  }
  if (![undefined, 'canary', 'all-at-once'].includes(release)) {
    throw new StageError('The context "release" takes canary or all-at-once.')
  }
  return { prefix, change: release ? { release } : {} }
}
