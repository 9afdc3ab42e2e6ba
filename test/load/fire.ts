import autocannon, { type Request } from 'autocannon'
import type { OperationId } from '../../shared/contract.ts'
import { headersOf } from '../infra/local/catalogue.ts'
import type { LocalServer } from '../support/server.ts'
import { type Ledger, record } from './ledger.ts'
import type { Asked } from './requests.ts'

/** How answers came, in milliseconds; `failed` is how many did not: the connection broke, or ten seconds went by. */
export type Speed = { answers: number; perSecond: number; p50: number; p99: number; max: number; failed: number }

/** How many requests are under way at any time. */
export const CONNECTIONS = 64

/**
 * Sends requests for some seconds, and writes down what is answered. At the end, connections are closed with a request
 * under way on each, which may have been carried out or not.
 */
export const fire = async (
  server: Pick<LocalServer, 'baseUrl' | 'apiKey'>,
  { requests, ledger, seconds }: { requests: Iterator<Asked, never>; ledger: Ledger; seconds: number },
): Promise<Speed> => {
  const base = new URL(server.baseUrl).pathname
  const asked = new WeakMap<object, OperationId>() // By what autocannon keeps for one request and its answer.
  let sent = 0
  let answers = 0
  const setupRequest = (defaults: Request, context: object): Request => {
    const { operation, path, headers, ...request } = requests.next().value
    asked.set(context, operation)
    sent++
    return { ...defaults, ...request, path: base + path, headers: { ...headersOf(server), ...headers } }
  }
  const onResponse = (status: number, body: string, context: object, headers: Request['headers']): void => {
    const operation = asked.get(context)
    if (!operation) throw new Error('autocannon took an answer for that of another request.')
    answers++
    record(ledger, { operation, status, body, link: String(headers?.Link) })
  }
  const load = { connections: CONNECTIONS, duration: seconds, requests: [{ setupRequest, onResponse }] }
  const { latency, duration } = await autocannon({ url: server.baseUrl, ...load })
  const { p50, p99, max } = latency
  // Not autocannon's `errors`: it does not count a connection that the server ends in place of an answer.
  return { answers, perSecond: answers / duration, p50, p99, max, failed: sent - answers - CONNECTIONS }
}
