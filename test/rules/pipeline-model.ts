import { recordKey } from '../../shared/data/idempotency.ts'
import { runOn } from '../../shared/data/run-transaction.ts'
import type { Transaction } from '../../shared/data/transaction.ts'
import type { IdempotentRequest } from '../../shared/model/idempotency-key.ts'
import { stringifyJson } from '../../shared/model/json.ts'
import { type OperationResponse, respondOnce } from '../../shared/pipeline/respond-once.ts'
import type { Client, Request, Work } from './all-orders.ts'
import { nameOf } from './database-model.ts'

/** A request of a client as the pipeline gets it. */
export type ClientRequest = {
  name: string
  client: Client
  work: Work
  idempotent?: IdempotentRequest | undefined
  /** The name of its idempotency record. */
  record?: string | undefined
}

/** Requests of one client with one key are retries of each other if they do the same work. */
export const clientRequests = (requests: Record<string, Request>): ClientRequest[] => {
  const works: Work[] = []
  return Object.entries(requests).map(([name, request]) => {
    const {
      work,
      key,
      client = ANYBODY,
    } = typeof request === 'function' ? { work: request } : request
    if (!works.includes(work)) works.push(work)
    const digest = `${works.indexOf(work)}`
    if (key === undefined) return { name, client, work }
    const idempotent = { clientId: client.id, operation: 'any', key, request: digest }
    return { name, client, work, idempotent, record: nameOf(recordKey(idempotent)) }
  })
}

const ANYBODY: Client = { id: 'client' }

/** What runs a request. */
export type Service = {
  runOn: typeof runOn<OperationResponse>
  respond: (tx: Transaction, request: ClientRequest) => Promise<OperationResponse>
}

/** The service's own code, with the work in place of a function and its entry. */
export const service: Service = {
  runOn,
  respond: (tx, request) =>
    respondOnce(tx, request.idempotent, {
      parse: () => undefined,
      run: () => workResponse(tx, request),
    }),
}

/** The response for what a work returns. */
export const workResponse = async (
  tx: Transaction,
  { work, client }: ClientRequest,
): Promise<OperationResponse> => {
  const value = await work(tx, { client })
  return value === undefined
    ? { status: 204, body: '' }
    : { status: 200, body: stringifyJson(value) }
}

/** All that a caller sees of a response, but for whether it is a replay. */
export const responseText = ({ status, body }: OperationResponse): string => `${status} ${body}`

/** How a request ends, in one word. */
export const endOf = ({ status, isReplay }: OperationResponse): string => {
  if (isReplay) return 'replay'
  return status < 400 ? 'done' : `${status}`
}
