import { once } from 'node:events'
import type { Server } from 'node:net'
import { parentPort, workerData } from 'node:worker_threads'
import { Option } from '@commander-js/extra-typings'
import { entries, operationIds } from '../../shared/contract.ts'
import { transaction } from '../../shared/data/transaction.ts'
import { propertyNames } from '../../shared/model/names.ts'
import { resources } from '../../shared/resources.ts'
import { service } from '../../shared/service.ts'
import { CommandError, command, fail, run } from '../command-line.ts'
import { contractProblem } from '../openapi/contract-problem.ts'
import { referencePaths } from '../platform/gateway.ts'
import { LOCAL_API_KEY } from './database/credentials.ts'
import { DEFAULT_PORT, namedDatabase, openDatabase, portOption } from './database/database.ts'
import { loadFunctions } from './gateway/lambda.ts'
import { enforceRights } from './gateway/rights.ts'
import { createLocalServer } from './gateway/server.ts'
import { listeningAddress, reservePorts } from './ports.ts'
import { serveAndWatch, type ThreadData } from './watch.ts'

const LOOPBACK = '127.0.0.1'
const thread: ThreadData | null = workerData

/**
 * `npm start` and `npm run dev`: serve the API until SIGINT or SIGTERM. With `--watch`, this file
 * runs again in a thread, which serves until it receives a message.
 */
const serverCommand = command(
  process.argv.includes('--watch') ? 'npm run dev --' : 'npm start --',
  'Runs the API on this machine.',
)
  .addOption(
    portOption('the port to listen on, the next for the database; 0 selects free ports', 0).default(
      DEFAULT_PORT,
    ),
  )
  .option(
    '--host <address>',
    'the address to listen on; the database always listens on this machine only',
    LOOPBACK,
  )
  .option(
    '--data <folder>',
    'the folder to keep the data in (default: in memory); corrupted files may go unnoticed',
  )
  .option('--seed', 'add examples to an empty database, as to one in memory')
  .addOption(new Option('--empty', 'add no examples').conflicts('seed'))
  .option(
    '--watch',
    'restart when a source file changes; data and API keys are kept, unless tables change',
  )
  .addHelpText(
    'after',
    '\nEnvironment:\n  AWS_ENDPOINT_URL_DYNAMODB  a DynamoDB to use instead of the embedded one',
  )
  .action(async ({ host, port, data: folder, seed, empty, watch }) => {
    const address = thread?.address ?? namedDatabase()
    // To Node.js, '' means all addresses.
    const [api, listener] = await reservePorts(port, host || LOOPBACK, !address)
    const database = await openDatabase({ address, folder, listener })
    // Before the banner is printed: whoever reads it may stop the server at once.
    const stopped = parentPort ? once(parentPort, 'message') : anySignal('SIGINT', 'SIGTERM')
    const isSeeded = !empty && (seed || database.isNew)
    const content = isSeeded ? `, with ${await addExamples()}` : ''
    const description = thread?.database ?? database.description + content
    if (thread && database.isNew) process.stdout.write(`The tables are new${content}.\n`)
    if (watch) {
      const argv = [`--host=${host}`, `--port=${listeningAddress(api).port}`]
      if (empty) argv.push('--empty')
      api.close()
      await serveAndWatch(argv, { address: database.address, database: description }, stopped)
    } else await serve(api, description, stopped)
    await database.close()
  })

/** Adds the examples of all resources if nothing is stored. Returns what it added. */
const addExamples = async (): Promise<string> => {
  for (const table of propertyNames(resources)) {
    const { items } = await transaction((tx) => tx.list({ table, limit: 1 }))
    if (items.length > 0) return 'no examples: it is not empty'
  }
  const added: string[] = []
  for (const { seed } of Object.values(resources)) if (seed) added.push(await transaction(seed))
  return added.join(' and ')
}

const serve = async (listener: Server, database: string, stopped: Promise<unknown>) => {
  const problem = contractProblem()
  if (problem) throw new CommandError(problem)
  const { server, stop } = createLocalServer(await loadFunctions(operationIds))
  server.listen(listener)
  const { address, port } = listeningAddress(listener)
  const baseUrl = `http://${urlHost(address)}:${port}${service.basePath}`
  enforceRights()
  silenceFunctions()
  const again = thread?.reason && `Serving ${baseUrl} again: ${thread.reason}.\n`
  process.stdout.write(again ?? banner(baseUrl, database))
  if (!/^(127\.|::1$)/.test(address)) process.stdout.write(WARNING)
  parentPort?.postMessage('ready')
  await stopped
  await stop()
}

/** The host of a URL that also reaches a server that listens on all addresses. */
const urlHost = (address: string): string => {
  const host = address.replace(/^0\.0\.0\.0$/, LOOPBACK).replace(/^::$/, '::1')
  return host.includes(':') ? `[${host}]` : host
}

/** Hides the log of the functions: this server logs each response itself. */
const silenceFunctions = (): void => {
  const { info } = console
  console.info = (...args) => {
    if (args[0]?.coldStart === undefined) info(...args)
  }
}

// The listeners stay, because npm sends the signal of Ctrl-C a second time.
const anySignal = (...signals: NodeJS.Signals[]): Promise<unknown> =>
  Promise.race(signals.map((signal) => new Promise((resolve) => process.on(signal, resolve))))

const list = Object.values(entries).find(
  ({ method, path }) => method === 'GET' && !path.includes('{'),
)

const banner = (baseUrl: string, database: string): string => `\
  Base address  ${baseUrl}
  API key       ${LOCAL_API_KEY}
  Database      ${database}
  Reference     ${baseUrl}${referencePaths.page}
  Try it        curl ${baseUrl}${list?.path} -H 'Authorization: Bearer ${LOCAL_API_KEY}'
`

const WARNING = '  Warning       Other machines can reach this server, and its API key is public.\n'

const isOfDisk = (error: unknown): boolean => `${Object(error).code}`.startsWith('LEVEL_')

// The embedded database throws errors of its disk, such as a full one, and nothing catches them.
process.on('uncaughtException', (error) => {
  fail(isOfDisk(error) ? new CommandError(`Cannot use the data folder: ${error.message}`) : error)
  process.exit()
})
process.on('unhandledRejection', (error) => {
  if (isOfDisk(error)) throw error
  console.error('A function has left a rejected promise:', error)
})
await run(serverCommand)
if (process.exitCode) process.exit() // An open embedded database keeps the process alive.
