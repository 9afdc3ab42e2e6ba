import { join } from 'node:path'
import { headersOf, listAll } from '../infra/local/catalogue.ts'
import { send } from '../support/http.ts'
import { type Memory, memoryAt, probeAt } from '../support/memory.ts'
import { type LocalServer, startServer } from '../support/server.ts'
import { fire, type Speed } from './fire.ts'
import { type Ledger, newLedger } from './ledger.ts'
import { requestsOf } from './requests.ts'
import { type Tally, tallyOf } from './tally.ts'

/** A part of a run, and the server's memory after it. */
export type Part = { seconds: number; speed: Speed; memory: Memory }

/** What came of a run. */
export type Run = { first: Part; rest: Part; answers: Ledger['answers']; tally: Tally; output: string }

const FIRST_SECONDS = 10

/** Puts a server under load, and counts what it has when it is started again on its data. `folder` takes all files. */
export const runLoad = async (folder: string, seconds: number): Promise<Run> => {
  const socket = join(folder, 'memory')
  const data = ['--data', join(folder, 'catalogue')]
  const server = await startServer(data, probeAt(socket))
  const ledger = newLedger()
  const requests = requestsOf(ledger)
  const part = async (seconds: number): Promise<Part> => {
    const speed = await fire(server, { requests, ledger, seconds })
    await expectAnswer(server)
    return { seconds, speed, memory: await memoryAt(socket) }
  }
  const firstSeconds = Math.min(FIRST_SECONDS, Math.floor(seconds / 2))
  const first = await part(firstSeconds)
  const rest = await part(seconds - firstSeconds)
  // Not until it has ended is it done with the requests whose connections were closed.
  await stop(server)
  const again = await startServer(data)
  const tally = tallyOf(ledger, await listAll(again))
  await stop(again)
  return { first, rest, answers: ledger.answers, tally, output: server.output() }
}

/** Waits for its turn behind the requests that are still under way. */
const expectAnswer = async (server: LocalServer): Promise<void> => {
  try {
    await send(server.baseUrl, { path: '/pets?limit=1', headers: headersOf(server) })
  } catch (error) {
    throw new Error(`The server does not answer any more (${error}). It has printed:\n${server.output().slice(-4000)}`)
  }
}

const stop = async (server: LocalServer): Promise<void> => {
  const code = await server.stop()
  if (code !== 0) throw new Error(`The server ended with ${code}. It has printed:\n${server.output().slice(-4000)}`)
}
