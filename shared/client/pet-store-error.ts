/** What is known of an error besides its message. */
export type ErrorDetails = {
  code: string
  status: number
  requestId?: string | undefined
  retryAfter?: number | undefined
  cause?: unknown
}

/** What is thrown for whatever goes wrong between a call and its result. It never holds the API key. */
export class PetStoreError extends Error {
  override readonly name = 'PetStoreError'
  /**
   * The service's own code, such as `not_found`; `no_answer` where none came, `unexpected_answer` where it is not the
   * service that answered.
   */
  readonly code: string
  /** The HTTP status of the answer; 0 where none came. */
  readonly status: number
  /** Names the request in the service's logs. */
  readonly requestId: string | undefined
  /** After how many seconds the same call may succeed, where the answer says so. */
  readonly retryAfter: number | undefined

  constructor(message: string, { code, status, requestId, retryAfter, cause }: ErrorDetails) {
    super(message, { cause })
    this.code = code
    this.status = status
    this.requestId = requestId
    this.retryAfter = retryAfter
  }
}
