import './watchdog.ts'
import { service } from '../../shared/service.ts'
import { CommandError, fail } from '../command-line.ts'
import { contractProblem } from '../openapi/contract-check.ts'
import { referencePaths } from '../platform/gateway.ts'
import { createTables } from './database/create-tables.ts'
import { LOCAL_API_KEY } from './database/local-api-key.ts'
import { addExamples } from './examples.ts'
import { loadFunctions } from './lambda.ts'
import { createLocalApi } from './local-api.ts'
import { isLoopback, listen } from './ports.ts'

/** The argument of this process, as JSON. `changed` is the source that caused a restart. */
export type ServerOptions = {
  host: string
  port: number
  database: { endpoint: string; text: string }
  empty: boolean
  changed: string | undefined
}

const { host, port, database, empty, changed }: ServerOptions = JSON.parse(process.argv[2] ?? '')

/** Serves the API until SIGTERM, and completes its requests. */
const serve = async (): Promise<void> => {
  const problem = contractProblem()
  if (problem) throw new CommandError(problem)
  const { server, stop } = createLocalApi(await loadFunctions())
  await createTables(database.endpoint)
  // Until here, the signal ends this process at once. From here on, it adds all examples first:
  // they are added once only.
  const stopped = new Promise((stop) => process.on('SIGTERM', stop))
  const examples = empty || changed ? '' : `, with ${await addExamples()}`
  await listen(server, port, host)
  surviveErrors()
  process.send?.('serving')
  const text = changed ? `Serving ${baseUrl} again: ${changed} changed.\n` : banner(examples)
  process.stdout.write(isLoopback(host) ? text : text + WARNING)
  await stopped
  await stop()
}

// Hides the request log of the functions, because the server logs each response itself.
const { info } = console
console.info = (...args) => {
  if (args[0]?.coldStart === undefined) info(...args)
}

/** Logs errors that functions throw after their response, as Lambda does, and goes on. */
const surviveErrors = (): void => {
  process.on('uncaughtException', (error) => {
    console.error('A function has thrown an error after its response:', error)
  })
}

const urlHost = host.includes(':') ? `[${host}]` : host
const baseUrl = `http://${urlHost}:${port}${service.basePath}`

const banner = (examples: string): string => `\
  Reference     ${baseUrl}${referencePaths.page}
  API key       ${LOCAL_API_KEY}
  Database      ${database.text}${examples}
`

const WARNING = '  Warning       Other machines can reach this server, and its API key is public.\n'

await serve().catch(fail)
process.exit()
