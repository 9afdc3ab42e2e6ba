import { ConditionalCheckFailedException, DynamoDBClient, DynamoDBServiceException } from '@aws-sdk/client-dynamodb'
import { DynamoDBDocumentClient, PutCommand, type PutCommandInput } from '@aws-sdk/lib-dynamodb'
import { serviceUnavailable } from '../model/api-error.ts'

/** How long a piece of work may wait for DynamoDB, retries included. A request has two: its key, and its operation. */
const BUDGET_MS = 3000

/**
 * The one connection to DynamoDB. Where that is, the environment says (`AWS_ENDPOINT_URL_DYNAMODB`, `AWS_REGION`), so
 * the same code runs against AWS, an emulator and the local database.
 */
export const dynamodb = DynamoDBDocumentClient.from(
  new DynamoDBClient({
    maxAttempts: 3,
    requestHandler: {
      connectionTimeout: 500,
      requestTimeout: 1000,
      socketTimeout: 1000,
      // Without it a late answer is only logged.
      throwOnRequestTimeout: true,
    },
  }),
  { marshallOptions: { removeUndefinedValues: true } },
)

/** What every `dynamodb.send` of a piece of work is given. */
export type Options = { abortSignal: AbortSignal }

/**
 * Does a piece of work with DynamoDB within its time budget.
 *
 * @param work passes the options that it is given to every `dynamodb.send`: the signal ends what the timeouts above do
 *   not, an answer that drips in and the pauses between retries
 * @throws ApiError 503 when DynamoDB is slow, throttling or away
 */
export const withinBudget = async <T>(work: (options: Options) => Promise<T>): Promise<T> => {
  const ended = new AbortController()
  const timer = setTimeout(() => ended.abort(), BUDGET_MS)
  try {
    return await work({ abortSignal: ended.signal })
  } catch (error) {
    ended.abort() // What else the work has under way, such as the other queries of a list.
    throw isUnavailable(error) ? serviceUnavailable(error) : error
  } finally {
    clearTimeout(timer)
  }
}

/** Puts an item if the condition of `input` holds, and tells whether it did. */
export const putIf = async (input: PutCommandInput, options: Options): Promise<boolean> => {
  try {
    await dynamodb.send(new PutCommand(input), options)
    return true
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return false
    throw error
  }
}

/**
 * Whether DynamoDB, or the way to it, is to blame. An error without `$metadata` never got to the wire (a value that
 * cannot be marshalled, no region, no credentials), and one that DynamoDB calls the client's is ours: both are bugs.
 */
const isUnavailable = (error: unknown): boolean => {
  if (!(error instanceof Error)) return false
  if (error.name === 'AbortError') return true
  const isOurs = error instanceof DynamoDBServiceException && error.$fault === 'client' && !THROTTLED.test(error.name)
  return '$metadata' in error && !isOurs
}

const THROTTLED = /^(Throttling|ProvisionedThroughputExceeded|RequestLimitExceeded)/
