import type { KeyPrefix } from '../../shared/model/api-key.ts'
import { CommandError } from '../command-line.ts'
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
