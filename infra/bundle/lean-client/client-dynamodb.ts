// Replaces `@aws-sdk/client-dynamodb` in the bundle (../aliases.ts), because a cold start waits for that package to load.
// It has the SDK's own retries and HTTP handler. It leaves out what a function does not need: schemas, endpoint rules,
// profiles, clock correction and the middleware stack.
import { HttpRequest } from '@smithy/core/protocols'
import { retryMiddleware, StandardRetryStrategy } from '@smithy/core/retry'
import { NodeHttpHandler, type NodeHttpHandlerOptions } from '@smithy/node-http-handler'
import { type HandlerExecutionContext, SMITHY_CONTEXT_KEY } from '@smithy/types'
import { endpoint } from './environment.ts'
import { signer } from './signature.ts'

/** The options of a request: a signal that ends it. */
export type Options = { abortSignal?: AbortSignal }

type Configuration = { maxAttempts: number; requestHandler: NodeHttpHandlerOptions }

// The longest pause before the second attempt, as in the SDK's DynamoDB client.
const FIRST_PAUSE_MS = 25

/** Replaces the class of the same name. */
export class DynamoDBClient {
  readonly #http: NodeHttpHandler
  readonly #withRetries: ReturnType<typeof retryMiddleware>
  #url: URL | undefined

  constructor({ maxAttempts, requestHandler }: Configuration) {
    const strategy = new StandardRetryStrategy({ maxAttempts, baseDelay: FIRST_PAUSE_MS })
    this.#withRetries = retryMiddleware({ maxAttempts: async () => maxAttempts, retryStrategy: async () => strategy })
    this.#http = new NodeHttpHandler(requestHandler)
  }

  /**
   * Sends a request. `operation`, `input` and the output are those of the DynamoDB API reference.
   *
   * @throws DynamoDBServiceException if DynamoDB returns an error. Network errors have a `$metadata`, too.
   */
  async send(operation: string, input: object, options: Options): Promise<object> {
    const request = this.#request(operation, JSON.stringify(input))
    const sign = signer()
    const attempt = async () => {
      const headers = sign(request.headers, request.body)
      const received = await this.#exchange(new HttpRequest({ ...request, headers }), options)
      if (received.statusCode !== 200) throw errorOf(received)
      return { response: undefined, output: { ...JSON.parse(received.text), $metadata: {} } }
    }
    const context = { [SMITHY_CONTEXT_KEY]: options } as HandlerExecutionContext // The retries read nothing else of it.
    return (await this.#withRetries(attempt, context)({ request, input })).output
  }

  #request(operation: string, body: string): HttpRequest {
    // Read the environment once, at the first request.
    this.#url ??= endpoint()
    const { protocol, hostname, host, port } = this.#url
    const headers = {
      host,
      'content-length': String(Buffer.byteLength(body)),
      'content-type': 'application/x-amz-json-1.0',
      'x-amz-target': `DynamoDB_20120810.${operation}`,
    }
    return new HttpRequest({
      method: 'POST',
      protocol,
      hostname,
      port: Number(port) || undefined,
      path: '/',
      headers,
      body,
    })
  }

  async #exchange(request: HttpRequest, options: Options): Promise<Received> {
    const { response } = await this.#http.handle(request, options)
    const { statusCode, headers, body } = response
    return { statusCode, headers, text: await textOf(body) }
  }
}

type Received = { statusCode: number; headers: Record<string, string>; text: string }

/** Replaces the class of the same name: an error response of DynamoDB. */
export class DynamoDBServiceException extends Error {
  readonly $fault: 'client' | 'server'
  readonly $metadata: { httpStatusCode: number; requestId: string | undefined }

  constructor(name: string, message: string, { statusCode, headers }: Received) {
    super(message)
    this.name = name
    this.$fault = statusCode < 500 ? 'client' : 'server'
    this.$metadata = { httpStatusCode: statusCode, requestId: headers['x-amzn-requestid'] }
  }
}

/** Replaces the class of the same name. */
export class ConditionalCheckFailedException extends DynamoDBServiceException {}

const textOf = (body: NodeJS.ReadableStream): Promise<string> =>
  new Promise((resolve, reject) => {
    let text = ''
    body.setEncoding('utf8')
    body.on('data', (part: string) => {
      text += part
    })
    // Resolve a moment later. A delayed process can read the end of the response before it notices that it has sent the
    // whole request, which is when the connection becomes free; the next request would open another one.
    body.on('end', () => setImmediate(resolve, text))
    body.on('error', reject)
  })

const errorOf = (received: Received): Error => {
  const { __type, message, Message } = parsed(received.text)
  const error =
    typeof __type === 'string' ? serviceError(__type, message ?? Message ?? '', received) : otherError(received)
  // The retries read the pause from it. It is not enumerable, which keeps it out of the log.
  return Object.defineProperty(error, '$response', { value: received })
}

const serviceError = (type: string, message: string, received: Received): Error => {
  const name = type.replace(/^.*#/, '')
  const Kind = name === 'ConditionalCheckFailedException' ? ConditionalCheckFailedException : DynamoDBServiceException
  return new Kind(name, message, received)
}

/** A response that is not DynamoDB's, such as HTML of a proxy. Whatever its status, it is a network error and no bug. */
const otherError = ({ statusCode, text }: Received): Error =>
  Object.assign(new Error(`The response with status ${statusCode} is not from DynamoDB: ${text.slice(0, 100)}`), {
    $metadata: { httpStatusCode: statusCode },
  })

const parsed = (text: string): { __type?: unknown; message?: string; Message?: string } => {
  try {
    return JSON.parse(text) ?? {}
  } catch {
    return {}
  }
}
