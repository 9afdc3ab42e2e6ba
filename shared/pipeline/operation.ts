import middy from '@middy/core'
import type { Context } from 'aws-lambda'
import { type Contract, contract, type OperationId } from '../contract.ts'
import * as apiKeys from '../data/api-keys.ts'
import type { Page } from '../data/page.ts'
import { doOnce } from '../data/reservations.ts'
import { type Transaction, transaction } from '../data/transaction.ts'
import type { Caller } from '../model/api-key.ts'
import type { Entry, Run } from './entry.ts'
import { type Event, type Response, type Result, respond, type Shared } from './http.ts'
import { fieldRules, type ParsedRequest, requestParser } from './input.ts'
import { bearerKey } from './middleware/bearer-key.ts'
import { deprecation } from './middleware/deprecation.ts'
import { errorBody } from './middleware/error-body.ts'
import { jsonBody } from './middleware/json-body.ts'
import { requestLog } from './middleware/request-log.ts'
import { pageResponse, successOf, successResponse } from './responses.ts'

/**
 * Creates the Lambda handler of an operation: the pipeline, with `run` at its end, which throws an
 * ApiError for errors that callers may see. Lambda awaits `ready` (`infra/bundle/start.mjs`).
 */
export const operation = <Id extends OperationId>(id: Id, run: Run<Contract[Id]>) => {
  const entry: Entry = contract[id]
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
type AnyRun = (input: AnyInput) => Promise<unknown>
type AnyInput = ParsedRequest & { tx: Transaction; caller: Caller }

/** Handles a request whose caller is known and whose body is parsed, in one transaction. */
const requestHandler = (id: string, entry: Entry, run: AnyRun) => {
  const parse = requestParser(id, entry)
  return async (event: Event): Promise<Result> => {
    const caller = event.requestContext.authorizer
    if (!caller) throw new Error('The caller is unknown until bearerKey has run.')
    const { input, intent } = parse(event, caller)
    const response = await transaction(async (tx) => {
      const all = { ...input, tx, caller }
      if (entry.paged) return readPageThatFits(entry, event, all, run)
      const success = await doOnce(tx, intent, async () => successOf(entry, event, await run(all)))
      return successResponse(event, success)
    })
    return respond(event, response)
  }
}

/** Lambda returns 6 MB. A character has up to 3 bytes. */
const LONGEST_PAGE = 2_000_000

/** Reads a page, and reads it with half as many items while it is too long for Lambda. */
const readPageThatFits = async (
  entry: Entry,
  event: Event,
  input: AnyInput,
  run: AnyRun,
): Promise<Response> => {
  const query = input.query as { limit: number } // As `paged` adds it.
  let { limit } = query
  for (;;) {
    const page = await run({ ...input, query: { ...query, limit } })
    const response = pageResponse(entry, event, page as Page<unknown>)
    if (response.body.length <= LONGEST_PAGE || limit === 1) return response
    limit = Math.floor(limit / 2)
  }
}
