import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { headersOf } from '../../infra/local/catalogue.ts'
import { fire } from '../../load/fire.ts'
import { newLedger } from '../../load/ledger.ts'
import { requestsOf } from '../../load/requests.ts'
import { send } from '../../support/http.ts'
import { memoryAt, probeAt } from '../../support/memory.ts'
import { type LocalServer, startServer } from '../../support/server.ts'
import { type Figure, rowOf } from '../figure.ts'
import { median } from '../quantile.ts'

/** How often the server is started, and for how many seconds it is under load. */
export type Effort = { starts: number; seconds: number }

const FULL: Effort = { starts: 11, seconds: 10 }

/** Measures the local server as `npm start` runs it, alone and under the requests of `npm run load`. */
export const measureLocal = async ({ starts, seconds }: Effort = FULL): Promise<Figure[]> => {
  const times: number[] = []
  for (let i = 0; i < starts; i++) times.push(await timeStart())
  const { perSecond, p99, before, after } = await load(seconds)
  const figure = rowOf('local', 'local server')
  return [
    figure('start to first answer', 'ms', median(times)),
    figure('requests', 'per s', perSecond),
    figure('p99', 'ms', p99),
    figure('memory at start', 'MB', before / 1e6),
    figure('memory after load', 'MB', after / 1e6),
  ]
}

/** From the start of the process until the answer to a request has come, in milliseconds. */
const timeStart = async (): Promise<number> => {
  const started = performance.now()
  // A person's Node.js keeps nothing of what it has compiled.
  const server = await startServer([], { NODE_DISABLE_COMPILE_CACHE: '1' })
  await list(server)
  const ms = performance.now() - started
  await server.stop()
  return ms
}

/** 80 % lists, 15 % creates and 5 % reads over 64 connections. The resident memory is that after a garbage collection. */
const load = async (seconds: number) => {
  const socket = join(mkdtempSync(join(tmpdir(), 'load-')), 'memory')
  const server = await startServer([], probeAt(socket))
  await list(server)
  const { resident: before } = await memoryAt(socket)
  const ledger = newLedger()
  const { perSecond, p99, failed } = await fire(server, { requests: requestsOf(ledger), ledger, seconds })
  await list(server) // Behind the requests that are still under way.
  const { resident: after } = await memoryAt(socket)
  await server.stop()
  const wrong = [...ledger.answers.keys()].filter((kind) => !/ 2\d\d$/.test(kind))
  if (failed > 0 || wrong.length > 0) throw new Error(`The load was not served: ${failed} without answer; ${wrong}`)
  return { perSecond, p99, before, after }
}

const list = async (server: LocalServer): Promise<void> => {
  const { status } = await send(server.baseUrl, { path: '/pets?limit=1', headers: headersOf(server) })
  if (status !== 200) throw new Error(`The local server answers ${status}.`)
}
