import middy from '@middy/core'
import { type Contract, contract, type Input, type Operation, type OperationId, type Output } from './contract.ts'
import * as apiKeys from './data/api-keys.ts'
import { type Event, type Result, respond } from './http.ts'
import { fieldRules, parserOf } from './input.ts'
import { bearerKey } from './middleware/bearer-key.ts'
import { deprecation } from './middleware/deprecation.ts'
import { errorBody } from './middleware/error-body.ts'
import { jsonBody } from './middleware/json-body.ts'
import { requestLog } from './middleware/request-log.ts'

/**
 * Creates the Lambda handler of an operation: the pipeline that all operations share, with `run` at its end, which
 * throws an ApiError for errors that callers may see. In Lambda, `ready` is awaited during init
 * (`infra/bundle/start.mjs`).
 */
export const operation = <Id extends OperationId>(
  id: Id,
  run: (input: Input<Contract[Id]>, event: Event) => Promise<Output<Id>>,
) => {
  const entry: Operation = contract[id]
  const { status } = entry.success
  const parse = parserOf(contract[id])
  const handler = middy<Event, Result>(
    async (event: Event) => respond(event, { ...(await run(parse(event), event)), status }),
    // No timer for each call: everything that an operation waits for has its own time limit.
    { timeoutEarlyInMillis: 0 },
  ).use([
    // A request passes these from top to bottom, a response or an error from bottom to top.
    requestLog(id),
    ...(entry.deprecated ? [deprecation(entry.deprecated)] : []),
    errorBody(),
    bearerKey(apiKeys.find, entry.scope),
    ...(entry.body ? [jsonBody(fieldRules(entry.body).map(([, rule]) => rule))] : []),
  ])
  return Object.assign(handler, { ready: apiKeys.warmUp() })
}
