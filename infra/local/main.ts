import { command, fail, run } from '../command-line.ts'
import {
  DEFAULT_PORT,
  namedDatabase,
  portOption,
  startDatabase,
} from './database/local-database.ts'
import { LOOPBACK, listeningAddress, reservePorts } from './ports.ts'
import { type SourceWatch, watchAdvice, watchSources } from './source-watch.ts'
import { runServers } from './supervisor.ts'
import { ROOT, startThread } from './worker.ts'

/**
 * `npm start`: runs the local API until SIGINT or SIGTERM. This process has the database. Servers
 * run in threads, one after the other.
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
  .option(
    '--no-watch',
    'do not restart when a source file changes; restarts keep the data, unless tables change',
  )
  .addHelpText(
    'after',
    '\nEnvironment:\n  AWS_ENDPOINT_URL_DYNAMODB  a DynamoDB to use instead of the embedded one' +
      '\n  ALLOW_DYNAMODB_HOST        its host, if it is not on this machine',
  )
  .action(async ({ host, port, data: folder, empty = false, watch: isWatching }) => {
    const stopped = anySignal('SIGINT', 'SIGTERM')
    const existing = namedDatabase()
    // To Node.js, '' means all addresses.
    const ports = await reservePorts(port, host || LOOPBACK, !existing)
    const started = await startDatabase({ existing, folder, listener: ports.database })
    started.failed.then((error) => {
      fail(error)
      process.exit()
    })
    const { address, port: apiPort } = listeningAddress(ports.api)
    const server = { host: address, port: apiPort, database: started.database, empty }
    const freePort = () => ports.api.close()
    const watch = (): SourceWatch =>
      isWatching
        ? watchSources(ROOT, stopped)
        : { isWatching: false, change: stopped.then(() => undefined) }
    if (isWatching) process.stderr.write(watchAdvice(ROOT))
    process.exitCode = await runServers(
      (start) => startThread({ ...server, start }, freePort),
      watch,
    )
    freePort() // If no server came to listen.
    await started.close()
  })

// The listeners stay, because npm sends the signal of Ctrl-C a second time.
const anySignal = (...signals: NodeJS.Signals[]): Promise<unknown> =>
  Promise.race(signals.map((signal) => new Promise((resolve) => process.on(signal, resolve))))

await run(serverCommand)
if (process.exitCode) process.exit() // An open embedded database keeps the process alive.
