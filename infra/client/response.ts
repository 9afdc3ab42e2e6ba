import { parseJson } from './exact-json.ts'

/** The error of a call that failed. It never contains the API key. */
export class ServiceError extends Error {
  override readonly name = 'ServiceError'
  /** Such as `not_found`; or `no_answer`, `unexpected_answer` or `unknown_outcome`. */
  readonly code: string
  /** The HTTP status of the response; 0 if there was none. */
  readonly status: number
  /** Identifies the request in the service's logs. */
  readonly requestId?: string | undefined
  /** After how many seconds the call may succeed, if the response says so. */
  readonly retryAfter?: number | undefined

  constructor(
    message: string,
    { code, status, requestId, retryAfter }: Omit<ServiceError, keyof Error | 'toJSON'>,
  ) {
    super(message)
    this.code = code
    this.status = status
    this.requestId = requestId
    this.retryAfter = retryAfter
  }

  /** For `JSON.stringify`, which would leave out the message. */
  toJSON() {
    return { ...this, message: this.message }
  }
}

// Lambda returns no more, so a longer response is not from the service.
const MAX_BYTES = 6 * 2 ** 20

/** The array or object in a response; `undefined` if there is none, or more than 6 MB. */
export const readContent = async ({ body }: Response): Promise<object | undefined> => {
  let bytes = 0
  const limit = new TransformStream<Uint8Array, Uint8Array>({
    transform: (chunk, controller) => {
      bytes += chunk.length
      if (bytes > MAX_BYTES) controller.terminate()
      else controller.enqueue(chunk)
    },
  })
  const text = await new Response(body?.pipeThrough(limit)).text()
  try {
    const content = parseJson(text)
    return typeof content === 'object' && content ? content : undefined
  } catch {
    return undefined
  }
}

/** The error in a response. `hideKey` removes the API key from a text: the server may echo it. */
export const responseError = (
  response: Response,
  content: object | undefined,
  hideKey: (text: string) => string,
) => {
  const { status, headers } = response
  const { code, message }: { code?: unknown; message?: unknown } = content ?? {}
  const requestId = hideKey(headers.get('X-Request-Id') ?? '') || undefined
  const seconds = headers.get('Retry-After') ?? '' // The service sends no dates.
  const retryAfter = /^\d+$/.test(seconds) ? Number(seconds) : undefined
  const details = { status, requestId, retryAfter }
  if (typeof code === 'string' && typeof message === 'string')
    return new ServiceError(hideKey(message), { ...details, code: hideKey(code) })
  return new ServiceError(`The response (${status}) ${NOT_OURS}`, {
    ...details,
    code: 'unexpected_answer',
  })
}

const NOT_OURS = 'is not from the API. Check baseUrl and any proxy. Redirects are not followed.'
