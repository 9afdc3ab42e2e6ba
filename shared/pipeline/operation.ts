import middy from '@middy/core'
import type { Context } from 'aws-lambda'
import { type Contract, entries, type OperationId } from '../contract.ts'
import * as apiKeys from '../data/api-keys.ts'
import { runTransaction } from '../data/run-transaction.ts'
import type { AnyEntry, Input, Result } from './entry.ts'
import type { Internal, ProxyEvent, ProxyResult } from './gateway-event.ts'
import { idempotentRequest, parseRequest } from './input.ts'
import { bearerKey } from './middleware/bearer-key.ts'
import { deprecation } from './middleware/deprecation.ts'
import { errorBody } from './middleware/error-body.ts'
import { jsonBody } from './middleware/json-body.ts'
import { requestLog } from './middleware/request-log.ts'
import { respondOnce } from './respond-once.ts'
import { gatewayResult, successResponse } from './responses.ts'

/**
 * Creates the Lambda handler of an operation: the pipeline, with its function at the end. Errors
 * that callers may see are ApiErrors, which the function throws.
 */
export const operation = <Id extends OperationId>(
  id: Id,
  run: OperationLogic<Id>,
): OperationHandler => {
  const entry = entries[id]
  const pipeline = middy<ProxyEvent, ProxyResult, Error, Context, Internal>(
    // TypeScript cannot follow what an entry means for `run`.
    requestHandler(id, entry, run as UntypedFunction),
    // No timer for each call: everything that an operation waits for has its own time limit.
    { timeoutEarlyInMillis: 0 },
  ).use([
    // A request passes these from top to bottom, a response or an error from bottom to top.
    requestLog(id),
    ...(entry.deprecated ? [deprecation(entry.deprecated)] : []),
    errorBody(),
    bearerKey(apiKeys.findKeyHolder, entry.scope),
    ...(entry.body ? [jsonBody(entry.body, entry.method)] : []),
  ])
  return Object.assign(pipeline, { ready: apiKeys.warmUp() })
}

/** What Lambda calls, after it has awaited `ready` (`infra/bundle/start.mjs`). */
type OperationHandler = {
  (event: ProxyEvent, context: Context): Promise<ProxyResult>
  ready: Promise<unknown>
}

/**
 * The function of an operation. It reads and writes through `tx` alone, and cannot change its
 * input: it may run several times, and only the last run counts.
 */
export type OperationLogic<Id extends OperationId> = (
  input: Input<Contract[Id]>,
) => Result<Contract[Id]>

/** A function without the types that its entry gives it. */
type UntypedFunction = (input: object) => Promise<unknown>

/** Handles a request whose caller is known and whose body is parsed, in one transaction. */
const requestHandler =
  (id: string, entry: AnyEntry, run: UntypedFunction) =>
  async (event: ProxyEvent): Promise<ProxyResult> => {
    const request = idempotentRequest(id, entry, event)
    const response = await runTransaction((tx) =>
      respondOnce(tx, request, {
        // After the stored response: a retry gets it even if a release has made a rule stricter.
        parse: () => parseRequest(id, entry, event),
        run: async (input) => successResponse(entry, event, await run({ ...input, tx })),
      }),
    )
    return gatewayResult(event, response)
  }
