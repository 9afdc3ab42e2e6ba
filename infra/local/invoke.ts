import { readFileSync } from 'node:fs'
import { operationIds } from '../../shared/contract.ts'
import { CommandError, fail } from '../command-line.ts'
import { functionSettings } from '../functions.ts'
import { readAnnouncements } from './announcement.ts'
import { openDatabase } from './database.ts'
import { invoke, loadFunctions } from './lambda.ts'
import { enforceRights } from './rights.ts'

/**
 * The command `npm run invoke`: runs one function with the event in a file, on the database of the local server that
 * started last, or on an empty one. Prints the response, and the log on stderr.
 */
const main = async ([name, file = '']: string[]): Promise<void> => {
  const id = operationIds.find((each) => each === name)
  if (!id)
    throw new CommandError(`Usage: npm run invoke -- <operation> <event file>. Operations: ${operationIds.join(', ')}`)
  const event = readEvent(file)
  console.info = console.error
  const [server] = readAnnouncements(process.env)
  const database = await openDatabase(undefined, server?.endpoint).catch(() => openDatabase())
  console.info('Database: %s', database.description)
  enforceRights()
  const { [id]: handler } = await loadFunctions([id])
  const response = await invoke(id, handler, event, functionSettings.timeoutSeconds * 1000)
  process.stdout.write(`${JSON.stringify(response, null, 2)}\n`)
  await database.close()
}

const readEvent = (file: string) => {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch (error) {
    throw new CommandError(`Cannot read an event: ${error instanceof Error ? error.message : error}`)
  }
}

await main(process.argv.slice(2)).catch(fail)
