// Replaces `@aws-sdk/client-dynamodb` in the bundle (../aliases.ts), because a cold start waits for that package to load.
// It leaves out what a function does not need: schemas, endpoint rules, profiles, clock correction and the middleware stack.
import { randomUUID } from 'node:crypto'
import { endpoint, notSupported } from './environment.ts'
import { type Post, postTo, type Received, type TimeLimits } from './http.ts'
import { retries } from './retries.ts'
import { signer } from './signature.ts'

/** The options of a request: a signal that ends it. */
export type Options = { abortSignal?: AbortSignal }

type Configuration = { maxAttempts: number; requestHandler: TimeLimits }

/** Replaces the class of the same name. */
export class DynamoDBClient {
  readonly #configuration: Configuration
  readonly #withRetries: ReturnType<typeof retries>
  // Set at the first request, because only then the environment must be complete.
  #server: { host: string; post: Post } | undefined

  constructor(configuration: Configuration) {
    this.#configuration = configuration
    this.#withRetries = retries(configuration.maxAttempts)
  }

  /**
   * Sends a request. `operation`, `input` and the output are those of the DynamoDB API reference.
   *
   * @throws DynamoDBServiceException if DynamoDB returns an error. Network errors have a `$metadata`, too.
   */
  async send(operation: string, input: object, { abortSignal }: Options): Promise<object> {
    this.#server ??= this.#newServer()
    const { host, post } = this.#server
    const sign = signer()
    const body = JSON.stringify(input, toBase64)
    const headers = {
      host,
      'content-length': String(Buffer.byteLength(body)),
      'content-type': 'application/x-amz-json-1.0',
      'x-amz-target': `DynamoDB_20120810.${operation}`,
      'amz-sdk-invocation-id': randomUUID(),
    }
    return this.#withRetries(async (attempt) => {
      const counted = { ...headers, 'amz-sdk-request': `attempt=${attempt}; max=${this.#configuration.maxAttempts}` }
      const received = await post(sign(counted, body), body, abortSignal)
      if (received.statusCode !== 200) throw errorOf(received)
      return parse(received.text)
    }, abortSignal)
  }

  #newServer() {
    const url = endpoint()
    return { host: url.host, post: postTo(url, this.#configuration.requestHandler) }
  }
}

/** Replaces the class of the same name: an error response of DynamoDB. */
export class DynamoDBServiceException extends Error {
  readonly $fault: 'client' | 'server'
  readonly $metadata: { httpStatusCode: number; requestId: string | string[] | undefined }

  constructor(name: string, message: string, { statusCode, headers }: Received) {
    super(message)
    this.name = name
    this.$fault = statusCode < 500 ? 'client' : 'server'
    this.$metadata = { httpStatusCode: statusCode, requestId: headers['x-amzn-requestid'] }
  }
}

/** Replaces the class of the same name. */
export class ConditionalCheckFailedException extends DynamoDBServiceException {
  /** The item, with `ReturnValuesOnConditionCheckFailure`. The document client of the SDK does not unmarshall it, either. */
  readonly Item?: object
}

const errorOf = (received: Received): Error => {
  const { __type, message, Message, Item } = parsed(received.text)
  const error =
    typeof __type === 'string' ? serviceError(__type, message ?? Message ?? '', received) : otherError(received)
  if (error instanceof ConditionalCheckFailedException) Object.assign(error, { Item })
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

const parsed = (text: string): { __type?: unknown; message?: string; Message?: string; Item?: object } => {
  try {
    return parse(text) ?? {}
  } catch {
    return {}
  }
}

/** The replacer of `JSON.stringify` for binary values, which JSON has as Base64. */
function toBase64(this: Record<string, unknown>, key: string, value: unknown): unknown {
  const given = this[key] // Unlike `value`, it is a Buffer before its `toJSON`.
  if (given instanceof Uint8Array) return Buffer.from(given).toString('base64')
  if (!ArrayBuffer.isView(given) && !(given instanceof ArrayBuffer)) return value
  throw notSupported('binary values other than Uint8Array')
}

/** Parses a response. A reviver takes time, so it is used only if there may be binary values (the types B and BS). */
const parse = (text: string) => JSON.parse(text, /"BS?"/.test(text) ? fromBase64 : undefined)

const fromBase64 = (key: string, value: unknown): unknown => {
  if (key === 'B' && typeof value === 'string') return new Uint8Array(Buffer.from(value, 'base64'))
  return key === 'BS' && Array.isArray(value) ? value.map((each) => fromBase64('B', each)) : value
}
