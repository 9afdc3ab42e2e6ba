import { type Decision, earlierDecision, reserve } from '../../shared/data/reservations.ts'
import type { Transaction } from '../../shared/data/transaction.ts'
import { ApiError } from '../../shared/model/api-error.ts'
import type { Revised } from '../../shared/model/etag.ts'
import { type KeyedRequest, reservationId } from '../../shared/model/idempotency-key.ts'
import { refusalOf } from '../../shared/pipeline/responses.ts'
import type { Request, Work } from './all-orders.ts'
import { nameOf } from './database-model.ts'

/** A request as the pipeline gets it. */
export type Attempt = { name: string; work: Work; keyed?: KeyedRequest | undefined }

export type Response = Decision & { isReplay: boolean }

/** Requests with one key are retries of each other if they do the same work. */
export const attemptsOf = (requests: Record<string, Request>): Attempt[] => {
  const works: Work[] = []
  return Object.entries(requests).map(([name, request]) => {
    if (typeof request === 'function') return { name, work: request }
    const { key, work } = request
    if (!works.includes(work)) works.push(work)
    const keyed = { clientId: 'client', operation: 'any', key, request: `${works.indexOf(work)}` }
    return { name, work, keyed }
  })
}

/** The name of the reservation of an attempt with a key. */
export const reservationName = (keyed: KeyedRequest): string =>
  nameOf({ table: 'idempotencyKeys', value: reservationId(keyed) })

/**
 * Does the work of an attempt, and stores the decision for its key, as
 * `shared/pipeline/operation.ts` does.
 */
export const respond = async (tx: Transaction, { work, keyed }: Attempt): Promise<Response> => {
  const earlier = keyed && (await earlierDecision(tx, keyed))
  if (earlier) return { ...earlier, isReplay: true }
  const decision = await decide(tx, work)
  if (keyed) reserve(tx, keyed, decision)
  return { ...decision, isReplay: false }
}

const decide = async (tx: Transaction, work: Work): Promise<Decision> => {
  try {
    const result = await work(tx)
    return result
      ? { status: 200, body: bodyOf(result), etag: result.revision }
      : { status: 204, body: '' }
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    tx.discard()
    return refusalOf(error)
  }
}

/** No schema of a response has the revision. */
const bodyOf = ({ resource }: Revised<object>): string =>
  JSON.stringify({ ...resource, revision: undefined })

/** All that a caller sees of a response, but for whether it is a replay. */
export const textOf = ({ status, body, etag }: Decision): string =>
  `${status} ${body} ${etag ?? ''}`

/** How a request ends, in one word. */
export const endOf = ({ status, isReplay }: Response): string => {
  if (isReplay) return 'replay'
  return status < 400 ? 'done' : `${status}`
}
