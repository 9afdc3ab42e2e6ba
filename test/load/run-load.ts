import { join } from 'node:path'
import autocannon, { type Request } from 'autocannon'
import type { OperationId } from '../../shared/contract.ts'
import { headersOf, listAll, type Pet } from '../infra/local/catalogue.ts'
import { send } from '../support/http.ts'
import { type Memory, memoryAt, probeAt } from '../support/memory.ts'
import { type LocalServer, startServer } from '../support/server.ts'
import { type Ledger, type LoadRequest, newLedger, record, requestsOf } from './requests.ts'

/**
 * The throughput, and the latency in milliseconds. `failed` requests got no response: the connection broke, or ten seconds
 * passed.
 */
type Speed = { responses: number; perSecond: number; p50: number; p99: number; max: number; failed: number }

/** A part of a run, and the memory of the server at its end. */
export type Part = { seconds: number; speed: Speed; memory: Memory }

/** The results of a run. `found` are the pets after a restart. */
export type Run = { first: Part; rest: Part; ledger: Ledger; found: Pet[]; output: string }

/** The number of concurrent requests. */
export const CONNECTIONS = 64

const FIRST_SECONDS = 10

/** Puts a server under load, restarts it and lists what it has kept. All files are created in `folder`. */
export const runLoad = async (folder: string, seconds: number, connections = CONNECTIONS): Promise<Run> => {
  const socket = join(folder, 'memory')
  const data = ['--data', join(folder, 'catalogue')]
  const server = await startServer(data, probeAt(socket))
  const ledger = newLedger()
  const requests = requestsOf(ledger)
  const part = async (seconds: number): Promise<Part> => {
    const speed = await fire(server, ledger, requests, { seconds, connections })
    await expectResponse(server)
    return { seconds, speed, memory: await memoryAt(socket) }
  }
  const firstSeconds = Math.min(FIRST_SECONDS, Math.floor(seconds / 2))
  const first = await part(firstSeconds)
  const rest = await part(seconds - firstSeconds)
  await stop(server) // Completes the requests whose connections autocannon closed.
  const restarted = await startServer(data)
  const found = await listAll(restarted)
  await stop(restarted)
  return { first, rest, ledger, found, output: server.output() }
}

/**
 * Sends requests for some seconds, and records the responses. At the end, autocannon closes each connection with a
 * request in flight, which the server may or may not carry out.
 */
const fire = async (
  server: LocalServer,
  ledger: Ledger,
  requests: Iterator<LoadRequest, never>,
  { seconds, connections }: { seconds: number; connections: number },
): Promise<Speed> => {
  const base = new URL(server.baseUrl).pathname
  const operations = new WeakMap<object, OperationId>() // By the context that autocannon keeps for a request.
  let sent = 0
  let responses = 0
  const setupRequest = (defaults: Request, context: object): Request => {
    const { operation, path, headers, ...request } = requests.next().value
    operations.set(context, operation)
    sent++
    return { ...defaults, ...request, path: base + path, headers: { ...headersOf(server), ...headers } }
  }
  const onResponse = (status: number, body: string, context: object, headers: Request['headers']): void => {
    const operation = operations.get(context)
    if (!operation) throw new Error('autocannon reported a response without a request.')
    responses++
    record(ledger, operation, status, body, String(headers?.Link))
  }
  const load = { connections, duration: seconds, requests: [{ setupRequest, onResponse }] }
  const { latency, duration } = await autocannon({ url: server.baseUrl, ...load })
  const { p50, p99, max } = latency
  // Not autocannon's `errors`, which omits connections that the server closes without a response.
  return { responses, perSecond: responses / duration, p50, p99, max, failed: sent - responses - connections }
}

/** Waits until the server has completed the requests that came before this one. */
const expectResponse = async (server: LocalServer): Promise<void> => {
  try {
    await send(server.baseUrl, { path: '/pets?limit=1', headers: headersOf(server) })
  } catch (error) {
    throw new Error(`The server no longer responds (${error}). Its output:\n${server.output().slice(-4000)}`)
  }
}

const stop = async (server: LocalServer): Promise<void> => {
  const code = await server.stop()
  if (code !== 0) throw new Error(`The server exited with ${code}. Its output:\n${server.output().slice(-4000)}`)
}
