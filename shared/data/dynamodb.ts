import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import type { Int64 } from '../model/int64.ts'
import { exactNumber } from '../model/json.ts'

/** How items are read and written. Commands read a number as functions do, also a damaged one. */
export const itemFormat = {
  marshallOptions: { removeUndefinedValues: true },
  // A function, because the client itself rounds decimals.
  unmarshallOptions: { wrapNumbers: storedNumber },
}

/** How long the key check and the operation may each wait for DynamoDB, resends included. */
const DEADLINE_MS = 3000

/**
 * The only DynamoDB client. The environment sets its address, so the same code runs in AWS and
 * locally. The bundle replaces the imported packages (infra/packages/lean-dynamodb).
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
  itemFormat,
)

/**
 * The options of each `dynamodb.send`. The signal ends what the timeouts above do not: a response
 * that arrives byte by byte, and the pauses between resends.
 */
export type Deadline = { abortSignal: AbortSignal }

/** Runs `work` with a deadline. The signal aborts at its end, or when the work fails. */
export const withDeadline = async <T>(work: (deadline: Deadline) => Promise<T>): Promise<T> => {
  const end = new AbortController()
  const timer = setTimeout(() => end.abort(), DEADLINE_MS)
  try {
    return await work({ abortSignal: end.signal })
  } catch (error) {
    end.abort() // Ends concurrent requests, such as the other queries of a list.
    throw error
  } finally {
    clearTimeout(timer)
  }
}

/** A number of an item; `NaN` if JavaScript would round it, or the client not write it again. */
function storedNumber(text: string): Int64 {
  const number = exactNumber(text)
  const isTooLarge = typeof number === 'number' && Math.abs(number) > Number.MAX_SAFE_INTEGER
  return isTooLarge ? Number.NaN : number
}
