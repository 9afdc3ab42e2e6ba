import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { operationIds } from '../../shared/contract.ts'
import { CommandError, command, run } from '../command-line.ts'
import { functionSettings } from '../platform/functions.ts'
import { localDatabase, namedDatabase, openDatabase, portOption } from './database/database.ts'
import { invoke, loadFunctions } from './gateway/lambda.ts'
import { enforceRights } from './gateway/rights.ts'

const invokeCommand = command(
  'npm run invoke --',
  'Runs a function on the database of the local server, or on an empty one.',
)
  .usage('[options] [operation] <event>')
  .argument(
    '<event...>',
    'a file with an event, as in test/events; before it, its operation, if its name has another',
  )
  .addOption(portOption('port of the local server (default: 3000)'))
  .action(async (words, { port }) => {
    const file = words.at(-1) ?? ''
    const event = readEvent(file)
    const id = operationId(words.length > 1 ? words[0] : basename(file).replace(/\W.*/, ''))
    console.info = console.error // The response alone is printed on stdout.
    const database = await openDatabase({
      address: namedDatabase() ?? (await serverDatabase(port)),
    })
    console.info('Database: %s', database.description)
    enforceRights()
    const { [id]: handler } = await loadFunctions([id])
    const timeoutMs = functionSettings.timeoutSeconds * 1000
    const response = await invoke(id, handler, event, timeoutMs).catch(({ message }) => {
      throw new CommandError(message)
    })
    process.stdout.write(`${JSON.stringify(response, null, 2)}\n`)
    await database.close()
  })

const operationId = (name = '') => {
  const id = operationIds.find((each) => each === name)
  if (id) return id
  throw new CommandError(
    `There is no operation ${name}. Name one before the file: ${operationIds.join(', ')}.`,
  )
}

const serverDatabase = (port: number | undefined) =>
  localDatabase(port).catch((error) => {
    if (port !== undefined) throw error
    console.info('%s This uses an empty database.', error.message)
    return undefined
  })

const readEvent = (file: string) => {
  if (!existsSync(file))
    throw new CommandError(`There is no file ${file}. Name one with an event, as in test/events.`)
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
