import { type ParseArgsConfig, parseArgs } from 'node:util'

/** What stops a command: its message, one line, is all that the person at the keyboard needs to see. */
export class CommandError extends Error {}

/**
 * Reads the words of a command line.
 *
 * @param command as it is typed, to say where its help is
 * @throws CommandError where a word is not one that the command knows
 */
export const readWords = <T extends ParseArgsConfig>(config: T, command: string): ReturnType<typeof parseArgs<T>> => {
  try {
    return parseArgs(config)
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    throw new CommandError(`${error.message.replace(/\.\s.*/s, '')}. See ${command} -- --help`)
  }
}

const SECONDS = { s: 1, m: 60, h: 3600, d: 86_400 } as const
const DURATION = /^(?<count>[1-9]\d{0,4})(?<unit>[smhd])$/

/** The seconds of a duration such as `30s`, `15m`, `24h` or `90d`. Throws a CommandError that says what `option` takes. */
export const secondsOf = (option: string, text: string): number => {
  const { count, unit } = DURATION.exec(text)?.groups ?? {}
  if (isUnit(unit)) return Number(count) * SECONDS[unit]
  throw new CommandError(`${option} takes 1 to 99999 seconds, minutes, hours or days, such as 30s, 15m, 24h or 90d.`)
}

const isUnit = (unit?: string): unit is keyof typeof SECONDS => unit !== undefined && Object.hasOwn(SECONDS, unit)

/** An error as a CommandError where the command's surroundings are to blame; any other is a bug, and stays as it is. */
export const explained = (error: unknown): unknown => {
  if (!(error instanceof Error) || error instanceof CommandError) return error
  const line = known.find(([isIt]) => isIt(error))?.[1](error.message.replaceAll(/\s+/g, ' '))
  return line === undefined ? error : new CommandError(line, { cause: error })
}

/** Ends a command that failed: with one line for a CommandError, with all that is known of a bug. */
export const fail = (error: unknown): void => {
  const reason = explained(error)
  if (!(reason instanceof CommandError)) throw reason
  process.stderr.write(`${reason.message}\n`)
  process.exitCode = 1
}

const CREDENTIALS = 'Sign in (aws sso login), or set AWS_PROFILE, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.'

// By name, code and text: the SDK has no classes for most of these.
const known: [(error: Error) => boolean, (message: string) => string][] = [
  [
    ({ message }) => message === 'Region is missing',
    () => 'No AWS region is set. Set AWS_REGION, or a region in the AWS profile.',
  ],
  [({ message }) => message.startsWith('Region not accepted'), () => 'AWS_REGION is no region, such as eu-central-1.'],
  [
    ({ message }) => message.startsWith('Could not load credentials from any'),
    () => `No AWS credentials were found. ${CREDENTIALS}`,
  ],
  [
    ({ name }) => /^(CredentialsProvider|TokenProvider)Error$/.test(name),
    (message) => `The AWS credentials cannot be used: ${message}`,
  ],
  [
    (error) => 'code' in error && error.code === 'ERR_INVALID_URL',
    () => 'An AWS_ENDPOINT_URL… of the environment is no URL.',
  ],
  [(error) => '$fault' in error, (message) => `AWS refuses: ${message}`],
  // It was tried on the wire, and what came back, if anything, was not from AWS.
  [(error) => '$metadata' in error, (message) => `AWS cannot be reached: ${message}`],
]
