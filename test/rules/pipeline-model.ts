import { recordKey } from '../../shared/data/idempotency.ts'
import type { Transaction } from '../../shared/data/transaction.ts'
import type { Revised } from '../../shared/model/etag.ts'
import type { IdempotentRequest } from '../../shared/model/idempotency-key.ts'
import { type OperationResponse, respondOnce } from '../../shared/pipeline/respond-once.ts'
import type { Request, Work } from './all-orders.ts'
import { nameOf } from './database-model.ts'

/** A request of a client as the pipeline gets it. */
export type ClientRequest = {
  name: string
  work: Work
  idempotent?: IdempotentRequest | undefined
}

/** Requests with one key are retries of each other if they do the same work. */
export const clientRequests = (requests: Record<string, Request>): ClientRequest[] => {
  const works: Work[] = []
  return Object.entries(requests).map(([name, request]) => {
    if (typeof request === 'function') return { name, work: request }
    const { key, work } = request
    if (!works.includes(work)) works.push(work)
    const digest = `${works.indexOf(work)}`
    const idempotent = { clientId: 'client', operation: 'any', key, request: digest }
    return { name, work, idempotent }
  })
}

/** The name of the idempotency record of a request with a key. */
export const recordName = (request: IdempotentRequest): string => nameOf(recordKey(request))

/** Responds as the pipeline does, with the work in place of a function and its entry. */
export const respond = (
  tx: Transaction,
  { work, idempotent }: ClientRequest,
): Promise<OperationResponse> =>
  respondOnce(tx, idempotent, {
    parse: () => undefined,
    run: async () => {
      const resource = await work(tx)
      return resource
        ? { status: 200, body: bodyText(resource), etag: resource.revision }
        : { status: 204, body: '' }
    },
  })

/** No schema of a response has the revision. */
const bodyText = (resource: Revised<object>): string =>
  JSON.stringify({ ...resource, revision: undefined })

/** All that a caller sees of a response, but for whether it is a replay. */
export const responseText = ({ status, body, etag }: OperationResponse): string =>
  `${status} ${body} ${etag ?? ''}`

/** How a request ends, in one word. */
export const endOf = ({ status, isReplay }: OperationResponse): string => {
  if (isReplay) return 'replay'
  return status < 400 ? 'done' : `${status}`
}
