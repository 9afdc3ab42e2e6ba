// For every command: the operators', the local server and those in test. It must not import the
// AWS SDK, which would delay the start of the local server.
import {
  Command,
  CommanderError,
  type CommandUnknownOpts,
  InvalidArgumentError,
} from '@commander-js/extra-typings'
import { proxySentence, useProxies } from './proxy.ts'

/** An expected failure of a command. The user sees only its message. */
export class CommandError extends Error {}

/** Creates a command that users call with `call`, such as `npm run keys --`. */
export const command = (call: string, description: string) =>
  new Command(call).description(description).showHelpAfterError(`See ${call} --help`).exitOverride()

/** Runs the action of a command with the arguments of this process. */
export const run = async (command: CommandUnknownOpts): Promise<void> => {
  // A reader such as `head` may close the output.
  process.stdout.on('error', () => {
    process.exitCode = 1
  })
  for (const each of command.commands)
    each.showHelpAfterError(`See ${command.name()} ${each.name()} --help`)
  try {
    useProxies()
    checkDashes(command)
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
export const explain = (error: unknown): Error => {
  if (!(error instanceof Error)) return new Error(String(error))
  const explanation = error instanceof CommandError ? undefined : explanationOf(error)
  return explanation
    ? new CommandError(explanation.replaceAll(/\s+/g, ' '), { cause: error })
    : error
}

/** Whether AWS has refused a request, so that it had no effect. */
export const isRefused = (error: unknown): boolean =>
  error instanceof Error && '$fault' in error && error.$fault === 'client'

/** Ends a command that failed: prints the reason and sets the exit code, or throws a bug. */
export const fail = (error: unknown): void => {
  const reason = explain(error)
  if (reason instanceof CommandError) process.stderr.write(`${reason.message}\n`)
  else if (!(reason instanceof CommanderError)) throw reason
  process.exitCode = reason instanceof CommanderError ? reason.exitCode : 1
}

/** Throws if npm kept options of the command: it passes on only what stands after `--`. */
const checkDashes = (command: CommandUnknownOpts): void => {
  const options = [command, ...command.commands].flatMap(({ options }) => options)
  const names = options
    .map(({ long }) => long?.slice(2) ?? '')
    .filter((name) => !OPTIONS_OF_NPM.includes(name))
  const kept = [...new Set(names)].filter(isKeptByNpm).map((name) => `--${name}`)
  if (kept.length > 0)
    command.error(
      `error: npm kept ${kept.join(' and ')} for itself. ` +
        `Put -- before all options: ${command.name()} ${kept.join(' ')}`,
    )
}

/** npm puts an option into the environment: `--no-watch` as an empty `npm_config_watch`. */
const isKeptByNpm = (name: string): boolean => {
  const positive = name.replace(/^no-/, '')
  const value = process.env[`npm_config_${positive.replaceAll('-', '_')}`]
  return name === positive ? value !== undefined : value === ''
}

// npm may have them for itself, from its own settings.
const OPTIONS_OF_NPM = ['json', 'prefix', 'scope', 'yes']

const SECONDS = new Map(Object.entries({ s: 1, m: 60, h: 3600, d: 86_400 }))

// The SDK has no classes for these errors.
const explanationOf = (error: Error): string | undefined => {
  const { name, message } = error
  if (message === 'Region is missing')
    return 'No AWS region is set. Set AWS_REGION, or a region in the AWS profile.'
  if (/credentials|ExpiredToken/i.test(name + message))
    return (
      `No AWS credentials can be used: ${message.replace(/\.?$/, '.')} ` +
      'Run aws sso login, or set AWS_PROFILE.'
    )
  const { AWS_ENDPOINT_URL_DYNAMODB: database } = process.env
  const service = database ? `The DynamoDB at ${database}` : 'AWS'
  if (isRefused(error)) return `${service} refused the request: ${message}`
  if ('$fault' in error) return `${service} failed: ${message}`
  // The SDK sent the request, but received no response.
  if ('$metadata' in error) {
    const proxy = database ? '' : proxySentence()
    return `${service} cannot be reached: ${message.replace(/\.?$/, '.')} ${proxy}`.trim()
  }
  return undefined
}
