import type { App } from 'aws-cdk-lib'
import { type Stage, StageError } from './stages.ts'

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
