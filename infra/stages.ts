import { RemovalPolicy } from 'aws-cdk-lib'
import type { KeyPrefix } from '../shared/model/api-key.ts'

/** Everything in which deployments differ. */
export type Stage = {
  /** The part of an API key that says where it is good. `local` is a developer's machine, which is not deployed. */
  keyPrefix: Exclude<KeyPrefix, 'local'>
  /** What becomes of the animals, the API keys and the logs when the stack, or one of them, is removed from it. */
  data: RemovalPolicy
  /**
   * Over how many partitions of the index `byStatus` the animals of one status spread. To raise them, raise
   * `readShards` first and `writeShards` in a later release: while traffic shifts, old and new code run side by side.
   * They never go down.
   */
  readShards: number
  writeShards: number
}

export const stages = {
  staging: { keyPrefix: 'test', data: RemovalPolicy.DESTROY, readShards: 1, writeShards: 1 },
  production: { keyPrefix: 'live', data: RemovalPolicy.RETAIN, readShards: 1, writeShards: 1 },
} as const satisfies Record<string, Stage>

/** A stage that must not be deployed. Its message is for whoever edits the stages. */
export class StageError extends Error {}

/** Refuses a stage whose functions would write animals where its lists do not look. Throws StageError. */
export const checkStage = (stackName: string, { readShards, writeShards }: Stage): void => {
  const counts = [readShards, writeShards]
  if (counts.every((count) => Number.isInteger(count) && count > 0) && writeShards <= readShards) return
  throw new StageError(
    `${stackName} has readShards ${readShards} and writeShards ${writeShards}: both must be positive integers, and ` +
      'writeShards at most readShards, since lists find no animal that is written to a partition they do not read.',
  )
}
