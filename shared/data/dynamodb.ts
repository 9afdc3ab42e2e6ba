import { ConditionalCheckFailedException, DynamoDBClient, DynamoDBServiceException } from '@aws-sdk/client-dynamodb'
import {
  DynamoDBDocumentClient,
  PutCommand,
  type PutCommandInput,
  UpdateCommand,
  type UpdateCommandInput,
} from '@aws-sdk/lib-dynamodb'
import { serviceUnavailable } from '../model/api-error.ts'

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
  { marshallOptions: { removeUndefinedValues: true } },
)

/** The options for each `dynamodb.send` within a time budget. */
export type Options = { abortSignal: AbortSignal }

/**
 * Runs `work` within the time budget. It must pass its options to each `dynamodb.send`. Their signal ends what the
 * timeouts above do not: a response that arrives byte by byte, and the pauses between retries. Throws an ApiError 503 if
 * DynamoDB is slow, throttled or unavailable.
 */
export const withinBudget = async <T>(work: (options: Options) => Promise<T>): Promise<T> => {
  const ended = new AbortController()
  const timer = setTimeout(() => ended.abort(), BUDGET_MS)
  try {
    return await work({ abortSignal: ended.signal })
  } catch (error) {
    ended.abort() // Ends concurrent requests, such as the other queries of a list.
    throw isUnavailable(error) ? serviceUnavailable(error) : error
  } finally {
    clearTimeout(timer)
  }
}

/** Puts an item if the condition of `input` is true, and returns whether it was. */
export const putIf = async (input: PutCommandInput, options: Options): Promise<boolean> => {
  try {
    await dynamodb.send(new PutCommand(input), options)
    return true
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return false
    throw error
  }
}

/** A condition on an item, with the names and values in its text. */
export type Condition = { text: string; names: Record<string, string>; values: Record<string, unknown> }

/**
 * Sets attributes of an item, or removes those that are `null`, and counts its `changes`, if the condition is true. Returns
 * the item; if the condition was false, how often the SDK had sent the request.
 */
export const updateIf = async <Item>(
  key: Pick<UpdateCommandInput, 'TableName' | 'Key'>,
  attributes: object,
  condition: Condition,
  options: Options,
) => {
  const given = Object.entries(attributes).filter(([, value]) => value !== undefined)
  const set = given.filter(([, value]) => value !== null)
  const removed = given.filter(([, value]) => value === null)
  const input = {
    ...key,
    UpdateExpression: [
      ...(set.length > 0 ? [`SET ${set.map(([name]) => `#${name} = :${name}`).join(', ')}`] : []),
      ...(removed.length > 0 ? [`REMOVE ${removed.map(([name]) => `#${name}`).join(', ')}`] : []),
      'ADD #changes :1',
    ].join(' '),
    ConditionExpression: condition.text,
    ExpressionAttributeNames: {
      ...condition.names,
      ...Object.fromEntries(given.map(([name]) => [`#${name}`, name])),
      '#changes': 'changes',
    },
    ExpressionAttributeValues: {
      ...condition.values,
      ...Object.fromEntries(set.map(([name, value]) => [`:${name}`, value])),
      ':1': 1,
    },
    ReturnValues: 'ALL_NEW' as const,
  }
  try {
    const { Attributes } = await dynamodb.send(new UpdateCommand(input), options)
    return { item: Attributes as Item } // The document client types every item as `any`.
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return { attempts: error.$metadata.attempts }
    throw error
  }
}

/**
 * Whether DynamoDB or the network failed. All other errors are bugs: those without `$metadata`, which occur before the
 * request is sent (an invalid value, no region, no credentials), and those that DynamoDB calls the client's fault.
 */
const isUnavailable = (error: unknown): boolean => {
  if (!(error instanceof Error)) return false
  if (error.name === 'AbortError') return true
  const isOurFault = error instanceof DynamoDBServiceException && error.$fault === 'client' && !isTemporary(error)
  return '$metadata' in error && !isOurFault
}

/** Whether DynamoDB was too busy for the request, or another transaction held one of its items. */
const isTemporary = (error: DynamoDBServiceException): boolean => {
  if (TEMPORARY.test(error.name)) return true
  // A transaction that is canceled has a reason for each of its items, which is `None` if that item was not the cause.
  const reasons: { Code?: string }[] = Object(error).CancellationReasons ?? []
  const causes = reasons.filter(({ Code = 'None' }) => Code !== 'None')
  return causes.length > 0 && causes.every(({ Code = '' }) => TEMPORARY.test(Code))
}

const TEMPORARY = /^(Throttling|ProvisionedThroughputExceeded|RequestLimitExceeded|TransactionConflict)/
