import { DynamoDBServiceException, TransactionCanceledException } from '@aws-sdk/client-dynamodb'
import { serviceUnavailable } from '../model/api-error.ts'

/**
 * What the failure of a call of DynamoDB means:
 * - `busy`: other transactions hold the items. The same transaction may succeed in a moment.
 * - `stale`: an item is not as the transaction expects it.
 * - `unavailable`: DynamoDB or the network is slow, throttling or down.
 * - `bug`: the request is wrong, or was not sent.
 */
type FailureKind = 'busy' | 'stale' | 'unavailable' | 'bug'

export const failureKind = (error: unknown): FailureKind => {
  if (!(error instanceof Error)) return 'bug'
  if (error.name === 'TransactionInProgressException') return 'busy'
  if (error instanceof TransactionCanceledException) return cancellationKind(error)
  if (error.name === 'AbortError') return 'unavailable'
  if (!('$metadata' in error)) return 'bug' // It was not sent.
  const isFromDynamoDB = error instanceof DynamoDBServiceException
  const isClientFault = isFromDynamoDB && error.$fault === 'client' && !isThrottling(error.name)
  return isClientFault ? 'bug' : 'unavailable'
}

const cancellationKind = (error: TransactionCanceledException): FailureKind => {
  const codes = (error.CancellationReasons ?? []).map(({ Code = 'None' }) => Code)
  const causes = codes.filter((code) => code !== 'None')
  // After a resend, too: had an earlier send succeeded, its token would return a success.
  if (causes.includes('ConditionalCheckFailed')) return 'stale'
  const isBusy = causes.every((code) => code === 'TransactionConflict' || isThrottling(code))
  return isBusy && causes.length > 0 ? 'busy' : 'bug'
}

const isThrottling = (name: string): boolean =>
  /^(Throttling|ProvisionedThroughputExceeded|RequestLimitExceeded)/.test(name)

/** Waits for a call of DynamoDB. Throws an ApiError 503 if it is slow, throttled or unavailable. */
export const mapToUnavailable = async <T>(call: Promise<T>): Promise<T> => {
  try {
    return await call
  } catch (error) {
    throw failureKind(error) === 'bug' ? error : serviceUnavailable(`${error}`)
  }
}
