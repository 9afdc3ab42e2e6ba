type ErrorDetails = Pick<PetStoreError, 'code' | 'status'> & Partial<Pick<PetStoreError, 'requestId' | 'retryAfter'>>

/** The error of a call that failed. It never contains the API key. */
export class PetStoreError extends Error {
  override readonly name = 'PetStoreError'
  /**
   * The code of the service's error, such as `not_found`; `no_answer` if there was no response; `unexpected_answer` if
   * the response is not from the service.
   */
  readonly code: string
  /** The HTTP status of the response; 0 if there was none. */
  readonly status: number
  /** Identifies the request in the service's logs. */
  readonly requestId: string | undefined
  /** After how many seconds the call may succeed, if the response says so. */
  readonly retryAfter: number | undefined

  constructor(message: string, { code, status, requestId, retryAfter }: ErrorDetails) {
    super(message)
    this.code = code
    this.status = status
    this.requestId = requestId
    this.retryAfter = retryAfter
  }

  /** For `JSON.stringify`, which would leave out the message. */
  toJSON() {
    const { name, message, code, status, requestId, retryAfter } = this
    return { name, message, code, status, requestId, retryAfter }
  }
}
