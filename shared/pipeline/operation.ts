import middy from '@middy/core'
import type { Context } from 'aws-lambda'
import { type Contract, entries, type OperationId } from '../contract.ts'
import * as apiKeys from '../data/api-keys.ts'
import { type Decision, earlierDecision, reserve } from '../data/reservations.ts'
import { transaction } from '../data/transaction.ts'
import { ApiError } from '../model/api-error.ts'
import type { Entry, Run } from './entry.ts'
import { type Event, type Result, respond, type Shared } from './http.ts'
import { fieldRules, keyedRequest, parseRequest } from './input.ts'
import { bearerKey } from './middleware/bearer-key.ts'
import { deprecation } from './middleware/deprecation.ts'
import { errorBody } from './middleware/error-body.ts'
import { jsonBody } from './middleware/json-body.ts'
import { requestLog } from './middleware/request-log.ts'
import { decisionResponse, refusalOf, replayResponse, successOf } from './responses.ts'

/**
 * Creates the Lambda handler of an operation: the pipeline, with `run` at its end, which throws an
 * ApiError for errors that callers may see. Lambda awaits `ready` (`infra/bundle/start.mjs`).
 */
export const operation = <Id extends OperationId>(id: Id, run: Run<Contract[Id]>) => {
  const entry: Entry | undefined = entries[id]
  if (!entry) throw new Error(`shared/contract.ts has no operation ${id}. Add its entry.`)
  const handler = middy<Event, Result, Error, Context, Shared>(
    // TypeScript cannot follow what an entry means for `run`.
    requestHandler(id, entry, run as unknown as AnyRun),
    // No timer for each call: everything that an operation waits for has its own time limit.
    { timeoutEarlyInMillis: 0 },
  ).use([
    // A request passes these from top to bottom, a response or an error from bottom to top.
    requestLog(id),
    ...(entry.deprecated ? [deprecation(entry.deprecated)] : []),
    errorBody(),
    bearerKey(apiKeys.find, entry.scope),
    ...(entry.body ? [jsonBody(fieldRules(entry.body))] : []),
  ])
  return Object.assign(handler, { ready: apiKeys.warmUp() })
}

/** A function without the types that its entry gives it. */
type AnyRun = (input: Record<string, unknown>) => Promise<unknown>

/**
 * Handles a request whose caller is known and whose body is parsed, in one transaction. With an
 * idempotency key, what the function decides is final: each retry gets the same response.
 */
const requestHandler = (id: string, entry: Entry, run: AnyRun) => async (event: Event) => {
  const keyed = keyedRequest(id, entry, event)
  const response = await transaction(async (tx) => {
    const earlier = keyed && (await earlierDecision(tx, keyed))
    if (earlier) return replayResponse(event, earlier)
    const input = parseRequest(entry, event)
    let decision: Decision
    try {
      const result = await run({ ...input, tx })
      decision = successOf(entry, event, result)
    } catch (error) {
      if (!isRefusal(error)) throw error
      tx.discard()
      decision = refusalOf(error)
    }
    if (keyed) reserve(tx, keyed, decision)
    return decisionResponse(event, decision)
  })
  return respond(event, response)
}

/** Whether a function has decided against a request. Other errors are a bug or an outage. */
const isRefusal = (error: unknown): error is ApiError =>
  error instanceof ApiError && error.status < 500
