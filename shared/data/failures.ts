import { DynamoDBServiceException, TransactionCanceledException } from '@aws-sdk/client-dynamodb'
import { serviceUnavailable } from '../model/api-error.ts'

/**
 * What the failure of a call of DynamoDB means:
 * - `busy`: other transactions hold the items. The same transaction may succeed in a moment.
 * - `stale`: an item is not as the transaction expects it.
 * - `unavailable`: DynamoDB or the network is slow, throttling or down.
 * - `bug`: the request is wrong, or was not sent.
 */
type Meaning = 'busy' | 'stale' | 'unavailable' | 'bug'

export const meaningOf = (error: unknown): Meaning => {
  if (!(error instanceof Error)) return 'bug'
  if (error.name === 'TransactionInProgressException') return 'busy'
  if (error instanceof TransactionCanceledException) return meaningOfCancellation(error)
  if (error.name === 'AbortError') return 'unavailable'
  if (!('$metadata' in error)) return 'bug' // It was not sent.
  const isFromDynamoDB = error instanceof DynamoDBServiceException
  const isClientFault = isFromDynamoDB && error.$fault === 'client' && !isThrottling(error.name)
  return isClientFault ? 'bug' : 'unavailable'
}

const meaningOfCancellation = (error: TransactionCanceledException): Meaning => {
  const causes = cancellationCodes(error).filter((code) => code !== 'None')
  // After a resend, too: had an earlier send succeeded, its token would return a success.
  if (causes.includes('ConditionalCheckFailed')) return 'stale'
  const isBusy = causes.every((code) => code === 'TransactionConflict' || isThrottling(code))
  return isBusy && causes.length > 0 ? 'busy' : 'bug'
}

/** Why a transaction was canceled, item by item (`None`: not by it); empty for any other error. */
export const cancellationCodes = (error: unknown): string[] => {
  const reasons = error instanceof TransactionCanceledException ? error.CancellationReasons : []
  return (reasons ?? []).map(({ Code = 'None' }) => Code)
}

const isThrottling = (name: string): boolean =>
  /^(Throttling|ProvisionedThroughputExceeded|RequestLimitExceeded)/.test(name)

/**
 * Waits for a call of DynamoDB. Throws an ApiError 503 if it is slow, throttled or unavailable; its
 * log has the reason, if there is one, in place of the error.
 */
export const mapToUnavailable = async <T>(call: Promise<T>, reason?: string): Promise<T> => {
  try {
    return await call
  } catch (error) {
    throw meaningOf(error) === 'bug' ? error : unavailable({ error, resends: 0, reason })
  }
}

/** A request that failed: how often it was resent before, and why. */
export type Failure = { error: unknown; resends: number; reason?: string | undefined }

/** The ApiError 503 for a failure. The log gets its cause. */
export const unavailable = ({ error, resends, reason }: Failure) => {
  const { ThrottlingReasons } = error as { ThrottlingReasons?: unknown }
  const throttled = ThrottlingReasons ? ` ${JSON.stringify(ThrottlingReasons)}` : ''
  return serviceUnavailable(`${reason ?? error}${throttled} (${resends} resends)`)
}
