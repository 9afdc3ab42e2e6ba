import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Option } from '@commander-js/extra-typings'
import { contract, operationIds } from '../../shared/contract.ts'
import { service } from '../../shared/service.ts'
import { CommandError, checkDashes, command, fail, wholeNumber } from '../command-line.ts'
import { functionSettings } from '../functions.ts'
import { pathProblem, referencePaths } from '../gateway.ts'
import { announce } from './announcement.ts'
import { LOCAL_API_KEY } from './credentials.ts'
import { openDatabase, seed } from './database.ts'
import { loadFunctions } from './lambda.ts'
import { enforceRights } from './rights.ts'
import { createLocalServer } from './server.ts'
import { serveAndWatch } from './watch.ts'

const LOOPBACK = '127.0.0.1'

const start = command('npm start --', 'Runs the API on this machine.')
  .addOption(
    new Option('--port <number>', 'the port to listen on; 0 selects a free port')
      .env('PORT')
      .default(3000)
      .argParser(wholeNumber(0, 65_535)),
  )
  .option('--host <address>', 'the address to listen on', LOOPBACK)
  .option('--data <folder>', 'the folder to keep the data in (default: in memory)')
  .option('--seed', 'add 51 pets, if there are none')
  .option('--watch', 'restart when a source file changes; pets and API keys are kept')
  .addHelpText('after', '\nEnvironment:\n  AWS_ENDPOINT_URL_DYNAMODB  a DynamoDB to use instead of the embedded one')

/** The command `npm start`: serves the API on this machine until it receives SIGINT or SIGTERM. */
const main = async (): Promise<void> => {
  checkDashes(start)
  const { host, port, data, seed: isSeeded, watch } = start.parse().opts()
  const endpoint = process.env.AWS_ENDPOINT_URL_DYNAMODB
  if (data !== undefined && endpoint)
    throw new CommandError('--data requires the embedded database, but AWS_ENDPOINT_URL_DYNAMODB selects another one.')
  const database = await openDatabase(data, endpoint)
  // Listen for the signals before printing the banner: whoever reads it may send one at once.
  const signal = firstOf('SIGINT', 'SIGTERM')
  const description = database.description + (isSeeded ? `, with ${await seed()} new pets` : '')
  const stop = watch ? serveAndWatch([`--host=${host}`, `--port=${port}`]) : await serve(port, host, description)
  await signal
  await stop()
  await database.close()
}

const serve = async (requestedPort: number, host: string, database: string): Promise<() => Promise<void>> => {
  const problem = pathProblem(contract)
  if (problem) throw new CommandError(problem)
  const timeoutMs = functionSettings.timeoutSeconds * 1000
  const { server, stop } = createLocalServer({ handlers: await loadFunctions(operationIds), timeoutMs })
  const { address, port } = await listen(server, requestedPort, host)
  const baseUrl = `http://${hostOf(address)}:${port}${service.basePath}`
  enforceRights()
  silenceFunctions()
  announce(baseUrl)
  const { RESTART_REASON } = process.env // From `serveAndWatch`.
  process.stdout.write(RESTART_REASON ? `Serving ${baseUrl} again: ${RESTART_REASON}.\n` : banner(baseUrl, database))
  if (!/^(127\.|::1$)/.test(address)) process.stdout.write(WARNING)
  process.send?.('ready')
  return () => stop(timeoutMs)
}

const listen = async (server: Server, port: number, host: string): Promise<AddressInfo> => {
  try {
    await once(server.listen(port, host || LOOPBACK), 'listening') // Node.js takes '' for all addresses.
  } catch (error) {
    const reason = error instanceof Error ? error.message : error
    throw new CommandError(`Cannot listen: ${reason}. Choose another --host or --port; port 0 selects a free port.`)
  }
  return server.address() as AddressInfo // A server on a TCP port has no other type of address.
}

/** The host of a URL that reaches a server on this machine, also if it listens on all addresses. */
const hostOf = (address: string): string => {
  const host = address.replace(/^0\.0\.0\.0$/, LOOPBACK).replace(/^::$/, '::1')
  return host.includes(':') ? `[${host}]` : host
}

/** Hides the request log of the functions, which is for CloudWatch: this server logs each response itself. */
const silenceFunctions = (): void => {
  const { info } = console
  console.info = (...args) => {
    if (!('coldStart' in Object(args[0]))) info(...args)
  }
}

// The listeners stay, because npm sends the signal of Ctrl-C a second time.
const firstOf = (...signals: NodeJS.Signals[]): Promise<unknown> =>
  Promise.race(signals.map((signal) => new Promise((resolve) => process.on(signal, resolve))))

const banner = (baseUrl: string, database: string): string => `\
  Base address  ${baseUrl}
  API key       ${LOCAL_API_KEY}
  Database      ${database}
  Reference     ${baseUrl}${referencePaths.page}
  Try it        curl ${baseUrl}/pets -H 'Authorization: Bearer ${LOCAL_API_KEY}'
`

const WARNING = '  Warning       Other machines can reach this server, and its API key is public.\n'

const end = (error: unknown): void => {
  fail(error)
  process.exit() // An open embedded database keeps the process alive.
}

// The embedded database throws the errors of its disk, such as a full one, where nothing catches them.
process.on('uncaughtException', (error: NodeJS.ErrnoException) =>
  end(error.code?.startsWith('LEVEL_') ? new CommandError(`Cannot use the data folder: ${error.message}`) : error),
)
await main().catch(end)
