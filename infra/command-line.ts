// For every command: the operators', the local server and those in test. It must not import the
// AWS SDK, which would delay the start of the local server.
import { setGlobalProxyFromEnv } from 'node:http'
import { resolve } from 'node:path'
import { Command, type CommandUnknownOpts, InvalidArgumentError } from '@commander-js/extra-typings'

/** An expected failure of a command. The user sees only its message. */
export class CommandError extends Error {}

/** Creates a command that users call with `call`, such as `npm run keys --`. */
export const command = (call: string, description: string) =>
  new Command(call).description(description).showHelpAfterError(`See ${call} --help`)

/** Runs the action of a command with the arguments of this process. */
export const runCommand = async (command: CommandUnknownOpts): Promise<void> => {
  // A reader such as `head` may close the output.
  process.stdout.on('error', () => {
    process.exitCode = 1
  })
  try {
    useProxies()
    await command.parseAsync()
  } catch (error) {
    fail(error)
  }
}

/**
 * Returns a signal that aborts, with a CommandError, when this process is asked to end. It ends 0.9
 * seconds later.
 */
export const stopSignal = (): AbortSignal => {
  const stop = new AbortController()
  const stopped = () => {
    stop.abort(new CommandError('Stopped.'))
    setTimeout(() => {
      fail(new CommandError('Stopped: a request that was under way may have taken effect.'))
      process.exit()
    }, 900).unref()
  }
  // The listeners stay, because npm sends Ctrl-C twice.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, stopped)
  return stop.signal
}

/** Lets requests use the proxies of the environment, except those to this machine. */
const useProxies = (): void => {
  const { no_proxy, NO_PROXY = '' } = process.env
  const direct = [no_proxy ?? NO_PROXY, 'localhost', '127.0.0.1', '[::1]', '::1'].join(',')
  const env = { ...process.env, no_proxy: direct, NO_PROXY: direct }
  for (const [name, value] of Object.entries(env))
    if (/^https?_proxy$/i.test(name) && value && !value.includes('://'))
      Object.assign(env, { [name]: `http://${value}` })
  setGlobalProxyFromEnv(env)
}

/** The path of a file that the user has named: npm runs commands in the folder of this package. */
export const typedPath = (path: string): string => resolve(process.env.INIT_CWD ?? '', path)

/** Escapes control characters, as `\\u{a}`: they could forge lines, or control the terminal. */
export const printable = (value: unknown): string =>
  String(value).replaceAll(
    /[\p{C}\p{Zl}\p{Zp}]/gu,
    (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`,
  )

/**
 * Timeouts for AWS, in milliseconds: operators may be far from the region. With the SDK's three
 * attempts, a request fails within 20 seconds.
 */
export const timeouts = {
  requestHandler: {
    connectionTimeout: 5000,
    requestTimeout: 6000,
    socketTimeout: 6000,
    throwOnRequestTimeout: true,
  },
}

/** Parses a duration such as `30s`, `15m`, `24h` or `90d`. Returns seconds. */
export const duration = (text: string): number => {
  const count = text.slice(0, -1)
  const seconds = SECONDS.get(text.slice(-1))
  if (seconds && /^[1-9]\d{0,4}$/.test(count)) return Number(count) * seconds
  throw new InvalidArgumentError(
    'Use a whole number from 1 to 99999 followed by s, m, h or d, such as 15m or 24h.',
  )
}

/** Returns a parser of whole numbers within limits. */
export const wholeNumber =
  (least: number, most: number) =>
  (text: string): number => {
    if (/^\d{1,10}$/.test(text) && Number(text) >= least && Number(text) <= most)
      return Number(text)
    throw new InvalidArgumentError(`Use a whole number from ${least} to ${most}.`)
  }

/** Turns a failure of AWS, the network or the AWS settings into a CommandError. */
export const toCommandError = (error: Error): Error => {
  const explanation = error instanceof CommandError ? undefined : explanationOf(error)
  return explanation ? new CommandError(explanation.replaceAll(/\s+/g, ' ')) : error
}

/** Ends a command that failed: prints the reason and sets the exit code, or throws a bug. */
export const fail = (error: unknown): void => {
  const reason = toCommandError(error as Error) // Nothing else is thrown.
  if (!(reason instanceof CommandError)) throw reason
  process.stderr.write(`${reason.message}\n`)
  process.exitCode = 1
}

const SECONDS = new Map(Object.entries({ s: 1, m: 60, h: 3600, d: 86_400 }))

// The SDK has no classes for these errors.
const explanationOf = (error: Error): string | undefined => {
  const { name, message } = error
  if (message.startsWith('Region '))
    return 'No valid AWS region is set. Set AWS_REGION, or a region in the AWS profile.'
  if (/multi-factor/i.test(message))
    return (
      "The AWS profile needs a code of an MFA device. Export a session's credentials first: " +
      'eval "$(aws configure export-credentials --format env)"'
    )
  if (/credentials|ExpiredToken/i.test(name + message))
    return `No AWS credentials can be used. Run aws sso login, or set AWS_PROFILE (${message})`
  const { AWS_ENDPOINT_URL_DYNAMODB: database } = process.env
  const service = database ? `The DynamoDB at ${database}` : 'AWS'
  if ('$fault' in error)
    return `${service} ${error.$fault === 'client' ? 'refused the request' : 'failed'}: ${message}`
  // The SDK sent the request, but received no response.
  if ('$metadata' in error) return `${service} cannot be reached: ${message}`
  // It names the file.
  return 'syscall' in error ? message : undefined
}
