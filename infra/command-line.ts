import { type ParseArgsConfig, parseArgs } from 'node:util'

// The local server loads this file too, so it must not import the AWS SDK.

/** An expected failure of a command. The user sees only its message, which is one line. */
export class CommandError extends Error {}

/**
 * Parses a command line with Node.js's `parseArgs`.
 *
 * @param command how users call the command, such as `npm run keys`, for the hint at its help
 * @throws CommandError if an argument is unknown or has no value
 */
export const readWords = <T extends ParseArgsConfig>(config: T, command: string): ReturnType<typeof parseArgs<T>> => {
  try {
    return parseArgs(config)
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    // The first sentence says what is wrong; the rest explains `--`.
    throw new CommandError(`${error.message.replace(/\.\s.*/s, '')}. See ${command} -- --help`)
  }
}

/**
 * Converts a duration such as `30s`, `15m`, `24h` or `90d` to seconds.
 *
 * @param option the option that has this value, for the error message
 * @throws CommandError if `text` is not a duration
 */
export const secondsOf = (option: string, text: string): number => {
  const { count, unit } = DURATION.exec(text)?.groups ?? {}
  if (isUnit(unit)) return Number(count) * SECONDS[unit]
  const rule = 'must be a whole number from 1 to 99999 followed by s, m, h or d, such as 30s, 15m, 24h or 90d.'
  throw new CommandError(`${option} ${rule}`)
}

/** Turns a failure of AWS, of the network or of the AWS settings into a CommandError. Returns any other error as it is. */
export const explained = (error: unknown): unknown => {
  if (!(error instanceof Error) || error instanceof CommandError) return error
  const explain = explanations.find(([matches]) => matches(error))?.[1]
  return explain ? new CommandError(explain(error.message.replaceAll(/\s+/g, ' ')), { cause: error }) : error
}

/**
 * Ends a command that failed. Prints one line and sets the exit code to 1 if the failure can be explained.
 *
 * @throws the error itself if it cannot: it is a bug, and Node.js prints its stack trace
 */
export const fail = (error: unknown): void => {
  const reason = explained(error)
  if (!(reason instanceof CommandError)) throw reason
  process.stderr.write(`${reason.message}\n`)
  process.exitCode = 1
}

const SECONDS = { s: 1, m: 60, h: 3600, d: 86_400 } as const
const DURATION = /^(?<count>[1-9]\d{0,4})(?<unit>[smhd])$/

const isUnit = (unit?: string): unit is keyof typeof SECONDS => unit !== undefined && Object.hasOwn(SECONDS, unit)

const CREDENTIALS = 'Run aws sso login, or set AWS_PROFILE, or set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.'

// Matched by name, code and message, because the SDK has no classes for most of these errors.
const explanations: [(error: Error) => boolean, (message: string) => string][] = [
  [
    ({ message }) => message === 'Region is missing',
    () => 'No AWS region is set. Set AWS_REGION, or a region in the AWS profile.',
  ],
  [
    ({ message }) => message.startsWith('Region not accepted'),
    () => 'AWS_REGION is not a valid region. Use a name such as eu-central-1.',
  ],
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
    () => 'The value of AWS_ENDPOINT_URL or AWS_ENDPOINT_URL_<SERVICE> is not a valid URL.',
  ],
  [(error) => '$fault' in error, (message) => `AWS refused the request: ${message}`],
  // The SDK sent the request, but did not receive a response of AWS.
  [(error) => '$metadata' in error, (message) => `AWS cannot be reached: ${message}`],
]
