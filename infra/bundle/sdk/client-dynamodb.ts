import { HttpRequest } from '@smithy/core/protocols'
import { retryMiddleware, StandardRetryStrategy } from '@smithy/core/retry'
import { NodeHttpHandler, type NodeHttpHandlerOptions } from '@smithy/node-http-handler'
import { type HandlerExecutionContext, SMITHY_CONTEXT_KEY } from '@smithy/types'
import { endpoint } from './environment.ts'
import { signer } from './signature.ts'

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

type Headers = Record<string, string>

/** What a request may be given: a signal that ends it. */
export type Options = { abortSignal?: AbortSignal }

/** What came back over HTTP. */
export type Received = { statusCode: number; headers: Headers; text: string }

/** The way to DynamoDB, by connections that stay open. */
export class Wire {
  readonly #http: NodeHttpHandler
  #url: URL | undefined

  constructor(settings: NodeHttpHandlerOptions) {
    this.#http = new NodeHttpHandler(settings)
  }

  /** A request to the address that the environment gave when the first was made. */
  request(headers: Headers, body: string): HttpRequest {
    this.#url ??= endpoint()
    const { protocol, hostname, host, port } = this.#url
    const place = { method: 'POST', protocol, hostname, port: Number(port) || undefined, path: '/' }
    const all = { host, 'content-length': String(Buffer.byteLength(body)), ...headers }
    return new HttpRequest({ ...place, headers: all, body })
  }

  /** Sends a request, and waits for all of what comes back. */
  async exchange(request: HttpRequest, options: Options): Promise<Received> {
    const { response } = await this.#http.handle(request, options)
    const { statusCode, headers, body } = response
    return { statusCode, headers, text: await textOf(body) }
  }
}

const textOf = (body: NodeJS.ReadableStream): Promise<string> =>
  new Promise((resolve, reject) => {
    let text = ''
    body.setEncoding('utf8')
    body.on('data', (part: string) => {
      text += part
    })
    // Not at once: a process that was held up sees the answer before it sees that its own writing has ended, which is what
    // sets the connection free, and the next request would open another.
    body.on('end', () => setImmediate(resolve, text))
    body.on('error', reject)
  })

/** For the class of that name: DynamoDB's answer when it does not do what it was asked to. */
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

/** For the class of that name. */
export class ConditionalCheckFailedException extends DynamoDBServiceException {}

/** The error that an answer spells (its name stands behind a `#` in `__type`), or that says that it is not DynamoDB's. */
export const errorOf = (received: Received): Error => {
  const { __type, message, Message } = described(received.text)
  const error =
    typeof __type === 'string' ? ofDynamoDB(__type, message ?? Message ?? '', received) : ofAnother(received)
  // Retries read there how long to pause. Not enumerable: a log need not have all of it.
  return Object.defineProperty(error, '$response', { value: received })
}

const ofDynamoDB = (type: string, message: string, received: Received): Error => {
  const name = type.replace(/^.*#/, '')
  const Kind = name === 'ConditionalCheckFailedException' ? ConditionalCheckFailedException : DynamoDBServiceException
  return new Kind(name, message, received)
}

/** Something on the way to DynamoDB has answered, such as a proxy in HTML: whatever its status, that is no mistake of ours. */
const ofAnother = ({ statusCode, text }: Received): Error =>
  Object.assign(new Error(`Something other than DynamoDB answered ${statusCode}: ${text.slice(0, 100)}`), {
    $metadata: { httpStatusCode: statusCode },
  })

const described = (text: string): { __type?: unknown; message?: string; Message?: string } => {
  try {
    return JSON.parse(text) ?? {}
  } catch {
    return {}
  }
}
