import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { operationIds } from '../../shared/contract.ts'
import { CommandError, command, run } from '../command-line.ts'
import { functionSettings } from '../platform/functions.ts'
import { prepareDatabase } from './database/create-tables.ts'
import {
  databaseText,
  namedDatabase,
  portOption,
  serverDatabase,
  startDatabase,
} from './database/local-database.ts'
import { invoke, loadFunctions } from './lambda.ts'
import { enforcePermissions } from './permissions.ts'

const EVENTS = 'test/events'

const invokeCommand = command(
  'npm run invoke --',
  'Runs a function on the database of the local server, or on an empty one.',
)
  .usage('[options] [operation] <event>')
  .argument(
    '[event...]',
    `the name of an event in ${EVENTS}, or a file; if its name does not start with the ` +
      'operation, put that before it; without arguments, the events are listed',
  )
  .addOption(portOption('port of the local server (default: 3000)'))
  .action(async (words, { port }) => {
    const event = words.at(-1)
    if (event === undefined) return void process.stdout.write(eventNames().join(''))
    const response = await runEvent(event, words.length > 1 ? words[0] : undefined, port)
    process.stdout.write(`${JSON.stringify(response, null, 2)}\n`)
  })

/** The names of the events, each on a line. */
const eventNames = (): string[] =>
  globSync('*.json', { cwd: EVENTS })
    .toSorted()
    .map((file) => `${basename(file, '.json')}\n`)

const runEvent = async (name: string, operation: string | undefined, port: number | undefined) => {
  const file = existsSync(name) ? name : `${EVENTS}/${name}.json`
  const event = readEvent(name, file)
  const id = operationId(operation ?? basename(file).replace(/\W.*/, ''))
  console.info = console.error // stdout gets the response only.
  const existing = namedDatabase() ?? (await runningDatabase(port))
  const { database, close } = await startDatabase({ existing })
  console.info('Database: %s', databaseText(database))
  await prepareDatabase(database)
  enforcePermissions()
  const { [id]: handler } = await loadFunctions([id])
  try {
    return await invoke(id, handler, event, functionSettings.timeoutSeconds * 1000)
  } catch (error) {
    throw new CommandError(error instanceof Error ? error.message : String(error))
  } finally {
    await close()
  }
}

const operationId = (name: string) => {
  const id = operationIds.find((each) => each === name)
  if (id) return id
  throw new CommandError(
    `There is no operation ${name}. Name one before the event: ${operationIds.join(', ')}.`,
  )
}

/** The database of the local server; `undefined` if none runs and the user has named no port. */
const runningDatabase = (port: number | undefined) =>
  serverDatabase(port).catch((error) => {
    if (port !== undefined) throw error
    console.info('%s This uses an empty database.', error.message)
    return undefined
  })

const readEvent = (name: string, file: string) => {
  if (!existsSync(file))
    throw new CommandError(
      `There is no event ${name} in ${EVENTS}, and no such file. npm run invoke lists the events.`,
    )
  try {
    const event = JSON.parse(readFileSync(file, 'utf8'))
    const { requestId } = event?.requestContext ?? {}
    assert(requestId, `${file} is no API Gateway event: it has no requestContext.requestId.`)
    return event
  } catch (error) {
    throw new CommandError(
      `Cannot read an event: ${error instanceof Error ? error.message : error}`,
    )
  }
}

await run(invokeCommand)
