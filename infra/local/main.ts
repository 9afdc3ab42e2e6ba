import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { inspect } from 'node:util'
import { type OperationId, operationIds } from '../../shared/contract.ts'
import { CommandError, readWords } from '../command-line.ts'
import { functionSettings, referencePaths } from '../gateway.ts'
import { announce, LOCAL_API_KEY } from './announcement.ts'
import { openDatabase } from './database.ts'
import type { Handler } from './lambda.ts'
import { createLocalServer, stopServer } from './server.ts'

const timeoutMs = functionSettings.timeoutSeconds * 1000

/** The command `npm start`: serves the API on this machine until it is told to stop. */
const main = async (): Promise<void> => {
  const options = readOptions(process.argv.slice(2), process.env)
  if (options.help) return void process.stdout.write(help)

  const database = await openDatabase(options.data, process.env.AWS_ENDPOINT_URL_DYNAMODB)
  const front = createLocalServer({ handlers: await loadFunctions(), timeoutMs })
  const port = await listen(front, options.port, options.host)
  const address = `http://${options.host.includes(':') ? `[${options.host}]` : options.host}:${port}/v1`
  const stop = signalled('SIGINT', 'SIGTERM') // Before anybody can read that there is something to stop.
  announce(address)
  process.stdout.write(`
  Base address  ${address}
  API key       ${LOCAL_API_KEY}
  Database      ${database.description}
  Reference     ${address}${referencePaths.page}
  Try it        curl ${address}/pets -H 'Authorization: Bearer ${LOCAL_API_KEY}'

`)
  await stop
  await stopServer(front, timeoutMs)
  await database.close()
}

const loadFunctions = async (): Promise<Record<OperationId, Handler>> => {
  const files = await Promise.all(operationIds.map((id) => import(`../../functions/${id}.ts`)))
  return Object.fromEntries(files.map(({ handler }, i) => [operationIds[i], handler])) as Record<OperationId, Handler>
}

const listen = async (front: Server, port: number, host: string): Promise<number> => {
  try {
    await once(front.listen(port, host), 'listening')
  } catch (error) {
    const reason = error instanceof Error ? error.message : error
    throw new CommandError(`Cannot listen: ${reason}. Take another --host or --port; port 0 is any free one.`)
  }
  return (front.address() as AddressInfo).port // Only a server on a pipe has another kind of address.
}

/** Resolves at the first of these signals. The listeners stay, since npm sends the signal of Ctrl-C a second time. */
const signalled = (...signals: NodeJS.Signals[]): Promise<unknown> =>
  Promise.race(signals.map((signal) => new Promise((resolve) => process.on(signal, resolve))))

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

// One line a request, as in Lambda's log, which also takes objects.
Object.assign(inspect.defaultOptions, { breakLength: Number.POSITIVE_INFINITY })

main().catch((error) => {
  if (!(error instanceof CommandError)) throw error
  process.stderr.write(`${error.message}\n`)
  process.exit(1) // Not `exitCode`: the embedded database would keep the process alive.
})
