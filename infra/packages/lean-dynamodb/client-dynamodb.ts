// Replaces `@aws-sdk/client-dynamodb` in a bundle (index.ts), because a cold start waits for that
// package to load. It leaves out what functions do not need: schemas, endpoint rules, profiles,
// clock correction and the middleware stack.
import { checkEnvironment, endpoint, notSupported } from './environment.ts'
import { type HttpResponse, postTo, type TimeLimits } from './http.ts'
import { retries } from './retries.ts'
import { signer } from './signature.ts'

/** The options of a request: a signal that ends it. */
export type SendOptions = { abortSignal?: AbortSignal }

type Configuration = { maxAttempts: number; requestHandler: TimeLimits }

export class DynamoDBClient {
  readonly #limits: TimeLimits
  readonly #withRetries: ReturnType<typeof retries>
  // Made by the first request: the environment need not be complete before.
  #post: ReturnType<typeof signedPost> | undefined

  /** Throws an Error if the options or the environment need the SDK. */
  constructor({ maxAttempts, requestHandler, ...others }: Configuration) {
    checkEnvironment()
    for (const other of Object.keys(others)) throw notSupported(`the option ${other}`)
    this.#limits = requestHandler
    this.#withRetries = retries(maxAttempts)
  }

  /**
   * Sends a request with an action of the DynamoDB API reference. Throws a DynamoDBServiceException
   * for an error response. Network errors have a `$metadata`, too.
   */
  async send(action: string, input: object, { abortSignal }: SendOptions): Promise<object> {
    this.#post ??= signedPost(this.#limits)
    const post = this.#post
    const body = JSON.stringify(input, binaryAsBase64)
    return this.#withRetries(async () => {
      const received = await post(action, body, abortSignal)
      const content = parseJson(received.text)
      if (received.statusCode !== 200 || !content) throw failedResponse(received, content)
      return content
    }, abortSignal)
  }
}

/** For JSON.stringify: DynamoDB takes binary values in Base64. */
const binaryAsBase64 = (_name: string, value: unknown): unknown =>
  value instanceof Uint8Array ? Buffer.from(value).toString('base64') : value

const hasBinary = (text: string): boolean => /"BS?":["[]/.test(text)

/** For JSON.parse. An attribute of the name `B` has an object: `{"B":{"S":"text"}}`. */
const base64AsBinary = (name: string, value: unknown) => {
  if (name === 'B' && typeof value === 'string') return bytesOf(value)
  return name === 'BS' && Array.isArray(value) ? value.map(bytesOf) : value
}

const bytesOf = (base64: string): Uint8Array => new Uint8Array(Buffer.from(base64, 'base64'))

/** An error response of DynamoDB. */
export class DynamoDBServiceException extends Error {
  readonly $fault: 'client' | 'server'
  readonly $metadata: { httpStatusCode: number; requestId: string | string[] | undefined }

  constructor(
    name: string,
    { message, Message }: JsonObject,
    { statusCode, headers }: HttpResponse,
  ) {
    super(String(message ?? Message ?? 'UnknownError'))
    this.name = name
    this.$fault = statusCode < 500 ? 'client' : 'server'
    this.$metadata = { httpStatusCode: statusCode, requestId: headers['x-amzn-requestid'] }
  }
}

export class TransactionCanceledException extends DynamoDBServiceException {
  /** One for each item of the transaction, in their order. */
  readonly CancellationReasons: unknown

  constructor(name: string, content: JsonObject, received: HttpResponse) {
    super(name, content, received)
    this.CancellationReasons = content.CancellationReasons
  }
}

const signedPost = (limits: TimeLimits) => {
  const url = endpoint()
  const post = postTo(url, limits)
  const sign = signer()
  const fixed = { host: url.host, 'content-type': 'application/x-amz-json-1.0' }
  return (action: string, body: string, signal?: AbortSignal): Promise<HttpResponse> =>
    post(sign({ ...fixed, 'x-amz-target': `DynamoDB_20120810.${action}` }, body), body, signal)
}

const failedResponse = (received: HttpResponse, content: JsonObject | undefined): Error => {
  const { statusCode, text } = received
  // Anything else, such as HTML from a proxy, is a network error, whatever its status.
  if (statusCode >= 300 && (content || !text)) return serviceError(received, content)
  const error = new Error(
    `The response with status ${statusCode} is not from DynamoDB: ${text.slice(0, 100)}`,
  )
  return Object.assign(error, { $metadata: { httpStatusCode: statusCode } })
}

const serviceError = (received: HttpResponse, content: JsonObject = {}): Error => {
  const sentName = content.__type ?? content.code ?? received.headers['x-amzn-errortype']
  // A namespace may stand before the name, and an address after it.
  const [text = ''] = String(sentName ?? 'Unknown').split(/[,:]/)
  const name = text.replace(/^.*#/, '')
  // Callers tell other errors apart by their names.
  return name === 'TransactionCanceledException'
    ? new TransactionCanceledException(name, content, received)
    : new DynamoDBServiceException(name, content, received)
}

type JsonObject = Record<string, unknown>

/** The parsed JSON; `undefined` if it is invalid. */
const parseJson = (text: string): JsonObject | undefined => {
  try {
    return JSON.parse(text, hasBinary(text) ? base64AsBinary : undefined)
  } catch {
    return undefined
  }
}
