import { CommandError, readWords } from '../command-line.ts'

export const help = `Serves the Pet Store API on this machine.

  npm start -- [options]

  --port <number>   port to listen on; 0 takes a free one     (default: PORT, or 3000)
  --host <address>  address to listen on                      (default: 127.0.0.1)
  --data <folder>   keep the catalogue in this folder         (default: in memory)
  --help            print this

  AWS_ENDPOINT_URL_DYNAMODB  address of a DynamoDB to use instead of the embedded one
`

export type Options = { help: boolean; host: string; port: number; data?: string | undefined }

/** Reads the command line. Throws a CommandError that says what is wrong with it. */
export const readOptions = (args: string[], environment: NodeJS.ProcessEnv): Options => {
  const { help = false, host = '127.0.0.1', data, port = environment.PORT || '3000' } = parse(args)
  if (!/^\d+$/.test(port) || Number(port) > 65535) throw new CommandError(`The port must be 0 to 65535, not "${port}".`)
  if (host === '') throw new CommandError('The host must not be empty.')
  if (data !== undefined && environment.AWS_ENDPOINT_URL_DYNAMODB) {
    throw new CommandError('--data is for the embedded database, but AWS_ENDPOINT_URL_DYNAMODB names another one.')
  }
  return { help, host, port: Number(port), data }
}

const parse = (args: string[]) => {
  const text = { type: 'string' } as const
  const options = { port: text, host: text, data: text, help: { type: 'boolean' } } as const
  return readWords({ args, options }, 'npm start').values
}
