import { command, runCommand, typedPath } from '../command-line.ts'
import { DEFAULT_PORT, openDatabase, portOption } from './database/local-database.ts'
import { LOOPBACK, reservePorts } from './ports.ts'
import { runServers } from './restart.ts'

/**
 * `npm start`: runs the local API until SIGINT or SIGTERM. This process has the database. The API
 * runs in another one (server.ts), which starts again after a change.
 */
const serverCommand = command('npm start --', 'Runs the API on this machine.')
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
  .option('--empty', 'add no examples to an empty database')
  .option('--no-watch', 'do not restart when a source file changes; restarts keep the data')
  .addHelpText(
    'after',
    '\nEnvironment:\n  AWS_ENDPOINT_URL_DYNAMODB  a DynamoDB on this machine to use instead of ' +
      'the embedded one',
  )
  .action(async ({ host: namedHost, port, data, empty = false, watch: isWatching }) => {
    const stopped = stopSignal()
    const host = namedHost || LOOPBACK // To Node.js, '' means all addresses.
    const folder = data === undefined ? undefined : typedPath(data)
    const { api, database: listener } = await reservePorts(port, host)
    const database = await openDatabase(listener, folder)
    process.exitCode = await runServers({ host, port: api, database, empty }, isWatching, stopped)
  })

/** Resolves at SIGINT or SIGTERM. The listeners stay, because npm sends Ctrl-C a second time. */
const stopSignal = (): Promise<undefined> =>
  new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => resolve(undefined))
  })

await runCommand(serverCommand)
process.exit() // This closes the embedded database, which keeps the process alive.
