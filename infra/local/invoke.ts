import { existsSync, readFileSync } from 'node:fs'
import { entries, operationIds } from '../../shared/contract.ts'
import type { ProxyEvent } from '../../shared/pipeline/gateway-event.ts'
import { CommandError, command, runCommand, typedPath } from '../command-line.ts'
import { functionSettings } from '../platform/functions.ts'
import { DEFAULT_PORT, portOption, useRunningDatabase } from './database/local-database.ts'
import { invoke, loadFunctions } from './lambda.ts'
import { enforcePermissions } from './permissions.ts'

const invokeCommand = command(
  'npm run invoke --',
  'Runs the function of an event, on the database of the local server.',
)
  .argument('<event>', 'a file, or the name of an event in test/events')
  .addOption(portOption('port of the local server').default(DEFAULT_PORT))
  .action(async (name, { port }) => {
    const response = await runEvent(readEvent(name), port)
    process.stdout.write(`${JSON.stringify(response, null, 2)}\n`)
  })

/** Runs the function that has the method and the path of an event. Returns its response. */
const runEvent = async (event: ProxyEvent, port: number) => {
  const { httpMethod, resource } = event
  const id = operationIds.find(
    (each) => entries[each].method === httpMethod && entries[each].path === resource,
  )
  if (!id) throw new CommandError('The event is no request of API Gateway for an operation.')
  console.info = console.error // stdout gets the response only.
  console.info('Database: %s', await useRunningDatabase(port))
  enforcePermissions()
  const { [id]: handler } = await loadFunctions([id])
  return invoke(id, handler, event, functionSettings.timeoutSeconds * 1000)
}

const readEvent = (name: string): ProxyEvent => {
  const path = typedPath(name)
  try {
    const text = readFileSync(existsSync(path) ? path : `test/events/${name}.json`, 'utf8')
    return Object(JSON.parse(text))
  } catch (error) {
    throw new CommandError(`Cannot read the event ${name}: ${Object(error).message}`)
  }
}

await runCommand(invokeCommand)
