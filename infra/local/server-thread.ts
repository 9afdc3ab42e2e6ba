import { on } from 'node:events'
import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import { entries, operationIds } from '../../shared/contract.ts'
import { service } from '../../shared/service.ts'
import { CommandError, fail } from '../command-line.ts'
import { contractProblem } from '../contract-check.ts'
import { functionSettings } from '../platform/functions.ts'
import { referencePaths } from '../platform/gateway.ts'
import { prepareDatabase } from './database/create-tables.ts'
import { LOCAL_API_KEY } from './database/local-api-key.ts'
import { databaseText } from './database/local-database.ts'
import { addExamples } from './examples.ts'
import { loadFunctions } from './lambda.ts'
import { createLocalApi } from './local-api.ts'
import { enforcePermissions } from './permissions.ts'
import { isLoopback, listen, urlHost } from './ports.ts'
import type { ThreadData, ThreadMessage, ThreadOrder } from './thread-protocol.ts'

const { host, port, database, empty, start }: ThreadData = workerData

/** Serves the API until it is told to stop. */
const serve = async (parent: MessagePort): Promise<void> => {
  const say = (message: ThreadMessage) => parent.postMessage(message)
  // From the beginning, so that no order is lost. (A cast, because `on` has no types of values.)
  const orders = on(parent, 'message') as AsyncIterable<[ThreadOrder]>
  const { server, stop } = await load()
  const { isNew, added } = await prepare(() => say({ kind: 'adding' }))
  say({ kind: 'loaded', added })
  for await (const [order] of orders) {
    if (order === 'stop') break
    server.listen(await listen(port, host))
    muteRequestLog()
    surviveLateErrors()
    say({ kind: 'serving' })
    process.stdout.write(startText(isNew, added))
  }
  await stop(functionSettings.timeoutSeconds * 1000)
}

const load = async () => {
  const problem = contractProblem()
  if (problem) throw new CommandError(problem)
  return createLocalApi(await loadFunctions(operationIds))
}

/**
 * Prepares the database, and calls `beforeAdding` if it adds examples. Returns whether the tables
 * are new, and the examples that this thread or an earlier one has added.
 */
const prepare = async (beforeAdding: () => void) => {
  const isNew = await prepareDatabase(database)
  enforcePermissions()
  const earlier = start.kind === 'first' && !isNew ? start.added : undefined
  const hasItems = earlier !== undefined || (start.kind === 'restart' && !isNew)
  if (empty || hasItems) return { isNew, added: earlier }
  beforeAdding()
  return { isNew, added: await addExamples() }
}

/** What to print when the server serves. */
const startText = (isNew: boolean, added: string | undefined): string => {
  const examples = added ? `, with ${added}` : ''
  const warning = isLoopback(host) ? '' : WARNING
  if (start.kind === 'first') return banner(examples) + warning
  const newTables = isNew ? `The tables are new${examples}.\n` : ''
  return `${newTables}Serving ${baseUrl} again: ${start.changed} changed.\n${warning}`
}

/** Hides the request log of the functions, because the server logs each response itself. */
const muteRequestLog = (): void => {
  const { info } = console
  console.info = (...args) => {
    if (args[0]?.coldStart === undefined) info(...args)
  }
}

/** Logs errors that functions throw after their response, as Lambda does, and goes on. */
const surviveLateErrors = (): void => {
  process.on('uncaughtException', (error) => {
    console.error('A function has thrown an error after its response:', error)
  })
}

const baseUrl = `http://${urlHost(host)}:${port}${service.basePath}`

const listEntry = Object.values(entries).find(
  ({ method, path }) => method === 'GET' && !path.includes('{'),
)

const banner = (examples: string): string => `\
  Reference     ${baseUrl}${referencePaths.page}
  Try it        curl ${baseUrl}${listEntry?.path} -H 'Authorization: Bearer ${LOCAL_API_KEY}'
  API key       ${LOCAL_API_KEY}
  Database      ${databaseText(database)}${examples}
`

const WARNING = '  Warning       Other machines can reach this server, and its API key is public.\n'

process.on('unhandledRejection', (error) => {
  console.error('A function has left a rejected promise:', error)
})
try {
  // This file runs in threads only, which have a parent.
  await serve(parentPort as MessagePort)
} catch (error) {
  fail(error)
  process.exit()
}
