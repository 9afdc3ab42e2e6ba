import { once } from 'node:events'
import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import { entries, operationIds } from '../../shared/contract.ts'
import { service } from '../../shared/service.ts'
import { CommandError, fail } from '../command-line.ts'
import { contractProblem } from '../openapi/contract-problem.ts'
import { referencePaths } from '../platform/gateway.ts'
import { LOCAL_API_KEY } from './database/credentials.ts'
import type { LocalDatabase } from './database/database.ts'
import { prepareDatabase } from './database/tables.ts'
import { addExamples } from './examples.ts'
import { loadFunctions } from './gateway/lambda.ts'
import { createLocalServer } from './gateway/server.ts'
import { isLoopback, listen, urlHost } from './ports.ts'

/** What a thread with a server gets; in `change` the source file whose change has started it. */
export type ThreadData = {
  host: string
  port: number
  database: LocalDatabase
  empty: boolean
  change?: string | undefined
}

const { host, port, database, empty, change }: ThreadData = workerData

/**
 * Serves the API. Posts `loaded` before it listens, which it does when it receives a message, and
 * `serving` after it. Ends after it receives `stop`.
 */
const serve = async (parent: MessagePort): Promise<void> => {
  const problem = contractProblem()
  if (problem) throw new CommandError(problem)
  const { server, stop } = createLocalServer(await loadFunctions(operationIds))
  const isNew = await prepareDatabase(database.address)
  const isStart = change === undefined
  const content = !empty && (isStart || isNew) ? `, with ${await addExamples()}` : ''
  parent.postMessage('loaded')
  const [message] = await once(parent, 'message')
  if (message === 'stop') return
  server.listen(await listen(port, host))
  silenceFunctions()
  // Before the banner is printed: whoever reads it may stop the server at once.
  const stopped = once(parent, 'message')
  parent.postMessage('serving')
  if (isNew && !isStart) process.stdout.write(`The tables are new${content}.\n`)
  process.stdout.write(isStart ? banner(content) : `Serving ${baseUrl} again: ${change} changed.\n`)
  if (!isLoopback(host)) process.stdout.write(WARNING)
  await stopped
  await stop()
}

/** Hides the log of the functions: this server logs each response itself. */
const silenceFunctions = (): void => {
  const { info } = console
  console.info = (...args) => {
    if (args[0]?.coldStart === undefined) info(...args)
  }
}

const baseUrl = `http://${urlHost(host)}:${port}${service.basePath}`

const list = Object.values(entries).find(
  ({ method, path }) => method === 'GET' && !path.includes('{'),
)

const banner = (content: string): string => `\
  Reference     ${baseUrl}${referencePaths.page}
  Try it        curl ${baseUrl}${list?.path} -H 'Authorization: Bearer ${LOCAL_API_KEY}'
  API key       ${LOCAL_API_KEY}
  Database      ${database.description}${content}
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
