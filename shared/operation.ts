import middy from '@middy/core'
import { type Contract, contract, type OperationId } from './contract.ts'
import * as apiKeys from './data/api-keys.ts'
import type { Entry, Run } from './entry.ts'
import { type Event, type Middleware, type Result, respond } from './http.ts'
import { fieldRules, inputOf } from './input.ts'
import { bearerKey } from './middleware/bearer-key.ts'
import { deprecation } from './middleware/deprecation.ts'
import { errorBody } from './middleware/error-body.ts'
import { jsonBody } from './middleware/json-body.ts'
import { requestLog } from './middleware/request-log.ts'
import { successOf } from './responses.ts'

/**
 * Creates the Lambda handler of an operation: the pipeline that all operations share, with `run` at its end, which
 * throws an ApiError for errors that callers may see. In Lambda, `ready` is awaited during init
 * (`infra/bundle/start.mjs`).
 */
export const operation = <Id extends OperationId>(id: Id, run: Run<Contract[Id]>) => {
  const entry: Entry = contract[id]
  const handler = middy<Event, Result>(
    undefined,
    // No timer for each call: everything that an operation waits for has its own time limit.
    { timeoutEarlyInMillis: 0 },
  ).use([
    // A request passes these from top to bottom, a response or an error from bottom to top.
    requestLog(id),
    ...(entry.deprecated ? [deprecation(entry.deprecated)] : []),
    errorBody(),
    bearerKey(apiKeys.find, entry.scope),
    ...(entry.body ? [jsonBody(fieldRules(entry.body).map(([, rule]) => rule))] : []),
    running(id, entry, run as Run<Entry>), // TypeScript cannot follow what an entry means for `run`.
  ])
  return Object.assign(handler, { ready: apiKeys.warmUp() })
}

/** A page with more characters is read again with fewer items: Lambda returns 6 MB, in which a character has up to 3 bytes. */
const LONGEST_BODY = 2_000_000

/** The last step: runs the operation, in `after`, because a handler of Middy would not get what the steps share. */
const running = (id: string, entry: Entry, run: Run<Entry>): Middleware => {
  const parse = inputOf(id, entry)
  return {
    after: async (request) => {
      const { event, internal } = request
      if (!internal.caller) throw new Error('The caller is unknown until bearerKey has run.')
      const input = parse(event, internal.caller)
      const respondTo = async (query: { limit?: unknown }): Promise<Result> => {
        const result = await run({ ...input, query })
        const response = respond(event, successOf(entry, event, input.query ?? {}, result))
        const half = Number(query.limit) >> 1
        return entry.paged && half > 0 && response.body.length > LONGEST_BODY
          ? respondTo({ ...query, limit: half })
          : response
      }
      request.response = await respondTo(input.query ?? {})
    },
  }
}
