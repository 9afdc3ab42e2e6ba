import middy from '@middy/core'
import { contract, type Input, type Operation, type OperationId, type Output } from './contract.ts'
import * as apiKeys from './data/api-keys.ts'
import { type Event, type Result, respond } from './http.ts'
import { fieldRules, inputOf } from './input.ts'
import { bearerKey } from './middleware/bearer-key.ts'
import { deprecation } from './middleware/deprecation.ts'
import { errorBody } from './middleware/error-body.ts'
import { jsonBody } from './middleware/json-body.ts'
import { requestLog } from './middleware/request-log.ts'

/**
 * The Lambda handler of an operation: everything that is the same for all of them stands here, once.
 *
 * `ready` is awaited before it is called, where it runs in Lambda.
 *
 * @param id names the operation's row of the contract
 * @param run what the operation does; it is given its input parsed, and throws an ApiError for what a caller may see
 */
export const operation = <Id extends OperationId>(
  id: Id,
  run: (input: Input<Id>, event: Event) => Promise<Output<Id>>,
) => {
  const row: Operation = contract[id]
  const { status } = row.success
  const handler = middy<Event, Result>(
    async (event: Event) => respond(event, { ...(await run(inputOf(id, event), event)), status }),
    // All that an operation waits for has a limit of its own, so a timer on each call would watch nothing.
    { timeoutEarlyInMillis: 0 },
  ).use([
    // A request passes these downwards, a response or an error upwards.
    requestLog(id),
    ...(row.deprecated ? [deprecation(row.deprecated)] : []),
    errorBody(),
    bearerKey(apiKeys.find),
    ...(row.body ? [jsonBody(fieldRules(row.body).map(([, rule]) => rule))] : []),
  ])
  return Object.assign(handler, { ready: apiKeys.warmUp() })
}
