import { HttpRequest } from '@smithy/core/protocols'
import { retryMiddleware, StandardRetryStrategy } from '@smithy/core/retry'
import type { NodeHttpHandlerOptions } from '@smithy/node-http-handler'
import { type HandlerExecutionContext, SMITHY_CONTEXT_KEY } from '@smithy/types'
import { errorOf } from './errors.ts'
import { signer } from './signature.ts'
import { type Options, Wire } from './wire.ts'

export { ConditionalCheckFailedException, DynamoDBServiceException } from './errors.ts'

// At most, before the second attempt: as the SDK's client of DynamoDB has it.
const FIRST_PAUSE_MS = 25

type Configuration = { maxAttempts: number; requestHandler: NodeHttpHandlerOptions }

/**
 * For `@aws-sdk/client-dynamodb`'s class of that name: has the SDK's own retries and HTTP, and not its schemas of every
 * shape, rules for endpoints, profiles, correction of a wrong clock and stack of middleware, none of which a function needs.
 */
export class DynamoDBClient {
  readonly #wire: Wire
  readonly #withRetries: ReturnType<typeof retryMiddleware>

  constructor({ maxAttempts, requestHandler }: Configuration) {
    const strategy = new StandardRetryStrategy({ maxAttempts, baseDelay: FIRST_PAUSE_MS })
    this.#withRetries = retryMiddleware({ maxAttempts: async () => maxAttempts, retryStrategy: async () => strategy })
    this.#wire = new Wire(requestHandler)
  }

  /**
   * Does what DynamoDB's API reference calls `operation`; input and output are as it says.
   *
   * @throws DynamoDBServiceException for what DynamoDB refuses; whatever else is wrong on the way there has a `$metadata`, too
   */
  async send(operation: string, input: object, { abortSignal }: Options): Promise<object> {
    const kind = { 'content-type': 'application/x-amz-json-1.0', 'x-amz-target': `DynamoDB_20120810.${operation}` }
    const request = this.#wire.request(kind, JSON.stringify(input))
    const sign = signer()
    const attempt = async () => {
      const headers = sign(request.headers, request.body)
      const received = await this.#wire.exchange(new HttpRequest({ ...request, headers }), { abortSignal })
      if (received.statusCode !== 200) throw errorOf(received)
      return { response: undefined, output: { ...JSON.parse(received.text), $metadata: {} } }
    }
    const context = { [SMITHY_CONTEXT_KEY]: { abortSignal } } as HandlerExecutionContext // All of it that retries read.
    return (await this.#withRetries(attempt, context)({ request, input })).output
  }
}
