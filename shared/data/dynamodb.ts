import { DynamoDBClient, DynamoDBServiceException } from '@aws-sdk/client-dynamodb'
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import { serviceUnavailable } from '../model/api-error.ts'
import { exactNumber } from '../model/json.ts'

/** How long the key check and the operation may each wait for DynamoDB, retries included. */
const BUDGET_MS = 3000

/**
 * The only DynamoDB client. The environment sets its address (`AWS_ENDPOINT_URL_DYNAMODB`, `AWS_REGION`), so the same
 * code runs against AWS, an emulator and the local database. The bundle replaces the imported packages by the lean
 * client (infra/bundle).
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

/** The options for each `dynamodb.send` within a time budget. Who sends a request again adds why to `delays`. */
export type Options = { abortSignal: AbortSignal; delays: string[] }

/**
 * Runs `work` within the time budget. It must pass its options to each `dynamodb.send`. Their signal ends what the
 * timeouts above do not: a response that arrives byte by byte, and the pauses between retries. Nothing is sent after the
 * budget has passed by the clock. Throws an ApiError 503 if DynamoDB is slow, throttled or unavailable.
 */
export const withinBudget = async <T>(work: (options: Options) => Promise<T>): Promise<T> => {
  const ended = new AbortController()
  const end = Date.now() + BUDGET_MS
  let isOver = false
  const stop = () => {
    isOver = true
    ended.abort()
  }
  const timer = setTimeout(stop, BUDGET_MS)
  // In a process that was frozen, the timer of a pause before a resend still fires before this one. Both clients ask
  // whether the signal is aborted before they send a request.
  Object.defineProperty(ended.signal, 'aborted', { get: () => isOver || Date.now() >= end })
  const delays: string[] = []
  try {
    return await work({ abortSignal: ended.signal, delays })
  } catch (error) {
    stop() // Ends concurrent requests, such as the other queries of a list.
    if (!isUnavailable(error)) throw error
    // One line for the log. The reasons of throttling name the table or the index.
    const reasons = JSON.stringify(error.ThrottlingReasons) ?? ''
    throw serviceUnavailable(`${delays.at(-1) ?? error} ${reasons}(${delays.length} resends)`)
  } finally {
    clearTimeout(timer)
  }
}

/**
 * Whether DynamoDB or the network failed. All other errors are bugs: those without `$metadata`, which occur before the
 * request is sent (an invalid value, no region, no credentials), and those that DynamoDB calls the client's fault.
 */
const isUnavailable = (error: unknown): error is Error & { ThrottlingReasons?: unknown } => {
  if (!(error instanceof Error)) return false
  if (error.name === 'AbortError') return true
  const isOurFault = error instanceof DynamoDBServiceException && error.$fault === 'client' && !isThrottling(error.name)
  return '$metadata' in error && !isOurFault
}

/** Whether the name of an error, or the reason of a canceled transaction, means that DynamoDB was too busy. */
export const isThrottling = (name: string): boolean =>
  /^(Throttling|ProvisionedThroughputExceeded|RequestLimitExceeded)/.test(name)
