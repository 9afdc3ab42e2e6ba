import { DynamoDBClient, DynamoDBServiceException } from '@aws-sdk/client-dynamodb'
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import { serviceUnavailable } from '../model/api-error.ts'
import { exactNumber } from '../model/json.ts'

/** How long the key check and the operation may each wait for DynamoDB, resends included. */
const BUDGET_MS = 3000

/**
 * The only DynamoDB client. The environment sets its address, so the same code runs in AWS and
 * locally. The bundle replaces the imported packages by the lean client (infra/bundle).
 */
export const dynamodb = DynamoDBDocumentClient.from(
  new DynamoDBClient({
    maxAttempts: 3,
    requestHandler: {
      connectionTimeout: 500,
      requestTimeout: 1000,
      socketTimeout: 1000,
      // The default only logs a late response.
      throwOnRequestTimeout: true,
    },
  }),
  {
    marshallOptions: { removeUndefinedValues: true },
    // A function, because the client itself rounds decimals.
    unmarshallOptions: { wrapNumbers: exactNumber },
  },
)

/**
 * The options of each `dynamodb.send`. The signal ends what the timeouts above do not: a response
 * that arrives byte by byte, and the pauses between resends.
 */
export type Budget = { abortSignal: AbortSignal }

/** Runs `work` with a time budget. The signal aborts when that ends, or when the work fails. */
export const withBudget = async <T>(work: (budget: Budget) => Promise<T>): Promise<T> => {
  const end = new AbortController()
  const timer = setTimeout(() => end.abort(), BUDGET_MS)
  try {
    return await work({ abortSignal: end.signal })
  } catch (error) {
    end.abort() // Ends concurrent requests, such as the other queries of a list.
    throw error
  } finally {
    clearTimeout(timer)
  }
}

/** Waits for DynamoDB. Throws an ApiError 503 if it is slow, throttled or unavailable. */
export const orUnavailable = async <T>(response: Promise<T>): Promise<T> => {
  try {
    return await response
  } catch (error) {
    throw errorToThrow({ error, resends: 0 })
  }
}

/** The error of a request that failed; how often it was resent before, and why. */
export type Failure = { error: unknown; resends: number; reason?: string | undefined }

/**
 * The ApiError 503 if DynamoDB was slow, throttled or unavailable, or if a write may have taken
 * effect; otherwise the error itself.
 */
export const errorToThrow = (
  { error, resends, reason }: Failure,
  mayHaveWritten = false,
): unknown => {
  if (!mayHaveWritten && !isUnavailable(error)) return error
  const { ThrottlingReasons } = error as { ThrottlingReasons?: unknown }
  const throttled = ThrottlingReasons ? ` ${JSON.stringify(ThrottlingReasons)}` : ''
  return serviceUnavailable(`${reason ?? error}${throttled} (${resends} resends)`) // For the log.
}

/**
 * Whether DynamoDB or the network failed. All other errors are bugs: those without `$metadata`,
 * because the request was not sent, and those that DynamoDB calls the client's fault.
 */
const isUnavailable = (error: unknown): boolean => {
  if (!(error instanceof Error)) return false
  if (error.name === 'AbortError') return true
  if (!('$metadata' in error)) return false
  if (!(error instanceof DynamoDBServiceException)) return true // An error of the network.
  return error.$fault === 'server' || isThrottling(error.name)
}

/** Whether an error or a reason of a canceled transaction means that DynamoDB was too busy. */
export const isThrottling = (name: string): boolean =>
  /^(Throttling|ProvisionedThroughputExceeded|RequestLimitExceeded)/.test(name)
