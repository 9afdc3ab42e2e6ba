import { InvalidArgumentError, Option } from '@commander-js/extra-typings'
import { CommandError, checkDashes, command, wholeNumber } from '../command-line.ts'

/** The options of `npm start`. `data` is the folder of the embedded database, if it is not in memory. */
export type Options = { host: string; port: number; data?: string; seed?: boolean; watch?: boolean }

/**
 * Reads the command line of `npm start`.
 *
 * @throws CommanderError if an option is unknown or invalid, or asks for help, which is printed
 * @throws CommandError if two options contradict each other
 */
export const readOptions = (args: string[]): Options => {
  const start = command('npm start --', 'Runs the API on this machine.')
    .addOption(port)
    .option('--host <address>', 'the address to listen on', address, '127.0.0.1')
    .option('--data <folder>', 'the folder to keep the data in (default: in memory)')
    .option('--seed', 'add 51 pets, if there are none')
    .option('--watch', 'restart when a source file changes; pets and API keys are kept')
    .addHelpText('after', ENVIRONMENT)
  checkDashes(start)
  const options: Options = start.parse(args, { from: 'user' }).opts()
  if (options.data !== undefined && process.env.AWS_ENDPOINT_URL_DYNAMODB)
    throw new CommandError('--data requires the embedded database, but AWS_ENDPOINT_URL_DYNAMODB selects another one.')
  return options
}

/** The arguments of a server that uses the database of this process. */
export const argumentsOf = ({ host, port }: Options): string[] => [`--host=${host}`, `--port=${port}`]

const port = new Option('--port <number>', 'the port to listen on; 0 selects a free port')
  .env('PORT')
  .default(3000)
  .argParser(wholeNumber(0, 65_535))

// Node.js takes an empty address for all addresses.
const address = (text: string): string => {
  if (text === '') throw new InvalidArgumentError('Name an address.')
  return text
}

const ENVIRONMENT = `
Environment:
  AWS_ENDPOINT_URL_DYNAMODB  the endpoint of a DynamoDB to use instead of the embedded one`
