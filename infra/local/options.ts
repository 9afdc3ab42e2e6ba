import { CommandError, readWords } from '../command-line.ts'

/** The text that `npm start -- --help` prints. */
export const help = `Runs the Pet Store API on this machine.

  npm start -- [options]

  --port <number>   the port to listen on; 0 selects a free port  (default: PORT, or 3000)
  --host <address>  the address to listen on                      (default: 127.0.0.1)
  --data <folder>   the folder to keep the pets in                (default: in memory)
  --seed            add 50 pets, if there are none
  --watch           restart when a source file changes; pets and API keys are kept
  --help            print this help

  AWS_ENDPOINT_URL_DYNAMODB  the endpoint of a DynamoDB to use instead of the embedded one
`

/** The options of `npm start`. */
export type Options = {
  help: boolean
  host: string
  port: number
  seed: boolean
  watch: boolean
  data?: string | undefined
}

/**
 * Reads the command line.
 *
 * @throws CommandError if an option is unknown or its value is invalid
 */
export const readOptions = (args: string[], environment: NodeJS.ProcessEnv): Options => {
  const { help = false, seed = false, watch = false, ...values } = parse(args)
  const { host = '127.0.0.1', data, port = environment.PORT || '3000' } = values
  if (!/^\d+$/.test(port) || Number(port) > 65535) throw new CommandError(`The port must be 0 to 65535, not "${port}".`)
  if (host === '') throw new CommandError('The host must not be empty.')
  if (data !== undefined && environment.AWS_ENDPOINT_URL_DYNAMODB) {
    throw new CommandError('--data requires the embedded database, but AWS_ENDPOINT_URL_DYNAMODB selects another one.')
  }
  return { help, host, port: Number(port), seed, watch, data }
}

/** The arguments of a server that uses the database of this process. */
export const argumentsOf = ({ host, port }: Options): string[] => [`--host=${host}`, `--port=${port}`]

const parse = (args: string[]) => {
  const text = { type: 'string' } as const
  const flag = { type: 'boolean' } as const
  const options = { port: text, host: text, data: text, seed: flag, watch: flag, help: flag }
  return readWords({ args, options }, 'npm start').values
}
