import { existsSync, readFileSync } from 'node:fs'
import { entries, operationIds } from '../../shared/contract.ts'
import type { ProxyEvent } from '../../shared/pipeline/gateway-event.ts'
import { CommandError, command, runCommand, typedPath } from '../command-line.ts'
import { DEFAULT_PORT, portOption, useRunningDatabase } from './database/local-database.ts'
import { invoke, loadFunctions } from './lambda.ts'

const invokeCommand = command(
  'npm run invoke --',
  'Runs the function of an event, on the database of the local server.',
)
  .argument('<event>', 'a file, or the name of an event in test/events')
  .addOption(portOption('port of the local server').default(DEFAULT_PORT))
  .action(async (name, { port }) => {
    const event = readEvent(name)
    const id = operationIds.find((each) => {
      const { method, path } = entries[each]
      return method === event.httpMethod && path === event.resource
    })
    if (!id) throw new CommandError('The event is no request of API Gateway for an operation.')
    console.info = console.error // stdout gets the response only.
    console.info('Database: %s', await useRunningDatabase(port))
    const { [id]: handler } = await loadFunctions()
    process.stdout.write(`${JSON.stringify(await invoke(id, handler, event), null, 2)}\n`)
  })

const readEvent = (name: string): ProxyEvent => {
  const path = typedPath(name)
  const file = existsSync(path) ? path : `test/events/${name}.json`
  return JSON.parse(readFileSync(file, 'utf8'))
}

await runCommand(invokeCommand)
