import { setTimeout as pause } from 'node:timers/promises'

// The figures of the SDK (`@smithy/core`, StandardRetryStrategy), and the shorter first pause of
// its DynamoDB client.
const FIRST_PAUSE_MS = { throttled: 1000, transient: 25 }
const QUOTA = 500
const COST = { throttled: 5, transient: 14 }

type SendError = Error & { code?: string; $metadata?: { httpStatusCode?: number } }

/**
 * Creates the SDK's standard retries, with random pauses whose limit doubles. All requests share a
 * quota, which ends retries in an outage. An error gets a `$metadata`.
 */
export const retries = (maxAttempts: number) => {
  let quota = QUOTA
  return async <T>(send: () => Promise<T>, signal?: AbortSignal): Promise<T> => {
    let refund = 1
    let totalRetryDelay = 0
    for (let attempts = 1; ; attempts++) {
      try {
        const output = await send()
        quota = Math.min(QUOTA, quota + refund)
        return output
      } catch (error) {
        const failure = error as SendError // `send` throws nothing else.
        const kind = retryKind(failure)
        if (!kind || attempts === maxAttempts || quota < COST[kind])
          throw withMetadata(failure, { attempts, totalRetryDelay })
        quota -= COST[kind]
        refund = COST[kind]
        const delay = Math.floor(Math.random() * FIRST_PAUSE_MS[kind] * 2 ** (attempts - 1))
        totalRetryDelay += delay
        await pause(delay, undefined, { signal })
      }
    }
  }
}

const withMetadata = (failure: SendError, metadata: object): SendError =>
  Object.assign(failure, { $metadata: { ...failure.$metadata, ...metadata } })

// What the SDK retries (`@smithy/core`, service-error-classification; its DynamoDB client adds the
// last of TRANSIENT_NAMES).
const words = (text: string) => text.trim().split(/\s+/)
const THROTTLED_NAMES = words(`
  BandwidthLimitExceeded EC2ThrottledException LimitExceededException PriorRequestNotComplete
  ProvisionedThroughputExceededException RequestLimitExceeded RequestThrottled
  RequestThrottledException SlowDown ThrottledException Throttling ThrottlingException
  TooManyRequestsException TransactionInProgressException`)
const TRANSIENT_NAMES = words(
  'TimeoutError RequestTimeout RequestTimeoutException ReplicatedWriteConflictException',
)
const TRANSIENT_CODES = words(
  'EAI_AGAIN ECONNREFUSED ECONNRESET EHOSTUNREACH ENETUNREACH ENOTFOUND EPIPE ETIMEDOUT',
)
const TRANSIENT_STATUSES = [500, 502, 503, 504]

/** The kind of a failure after which the request is resent; `undefined` for all others. */
const retryKind = (failure: SendError): keyof typeof COST | undefined => {
  const { name, code = '', message, $metadata: { httpStatusCode = 0 } = {} } = failure
  if (THROTTLED_NAMES.includes(name) || httpStatusCode === 429) return 'throttled'
  // The process was suspended while it sent the request. Each attempt has a new signature.
  const isExpired = name === 'InvalidSignatureException' && message.includes('Signature expired')
  const isTransient =
    TRANSIENT_NAMES.includes(name) ||
    TRANSIENT_CODES.includes(code) ||
    TRANSIENT_STATUSES.includes(httpStatusCode)
  return isTransient || isExpired ? 'transient' : undefined
}
