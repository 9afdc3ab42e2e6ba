import { randomUUID } from 'node:crypto'
import type { Context } from 'aws-lambda'
import * as v from 'valibot'
import { entries, type OperationId } from '../../../shared/contract.ts'
import { exactJson } from '../../../shared/model/json.ts'
import type { Event } from '../../../shared/pipeline/http.ts'
import { gatewayResponses } from '../../gateway.ts'
import { responseObjects } from '../../openapi/responses.ts'
import { runWithRights } from './rights.ts'

export type Handler = (event: Event, context: Context) => Promise<unknown>

/** A response in the format that API Gateway expects of a Lambda proxy integration. */
export type ProxyResponse = v.InferOutput<typeof ProxyResponse>

/**
 * Invokes a function as Lambda and API Gateway do. Throws an ApiError: 502 if it throws or returns
 * no proxy response, 504 after `timeoutMs`. Warns of a response that differs from the contract.
 */
export const invoke = async (
  id: OperationId,
  handler: Handler,
  event: Event,
  timeoutMs: number,
) => {
  const { promise: timeout, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(reject, timeoutMs, gatewayResponses.gatewayTimeout)
  try {
    const run = runWithRights(id, () => handler(event, newContext(id, timeoutMs)))
    const result = await Promise.race([run, timeout])
    if (!v.is(ProxyResponse, result))
      throw new Error(`The function ${id} did not return a proxy response.`)
    const difference = contractDifference(id, result)
    if (difference) console.warn('Not what shared/contract.ts says of %s: %s', id, difference)
    return result
  } catch (error) {
    if (error === gatewayResponses.gatewayTimeout) throw error
    console.error('Request %s failed in %s:', event.requestContext.extendedRequestId, id, error)
    throw gatewayResponses.badGateway
  } finally {
    clearTimeout(timer)
  }
}

/** Loads the functions of operations. */
export const loadFunctions = async (ids: OperationId[]): Promise<Record<OperationId, Handler>> => {
  const load = async (id: OperationId): Promise<[OperationId, Handler]> => [
    id,
    (await import(`../../../functions/${id}.ts`)).handler,
  ]
  // Those of `ids`, which are all that the caller reads.
  return Object.fromEntries(await Promise.all(ids.map(load))) as Record<OperationId, Handler>
}

/** Node.js accepts every header that these patterns allow. */
const ProxyResponse = v.object({
  statusCode: v.pipe(v.number(), v.integer(), v.minValue(200), v.maxValue(599)),
  headers: v.optional(
    v.record(
      v.pipe(v.string(), v.regex(/^[\w-]+$/)),
      v.pipe(v.string(), v.regex(/^[ -~\u00a0-\u00ff]*$/)),
    ),
  ),
  body: v.optional(v.string()),
})

const JsonText = v.pipe(v.string(), v.parseJson())

/** How a response differs from what callers are told; `undefined` or empty if it does not. */
const contractDifference = (
  id: OperationId,
  { statusCode, body = '' }: ProxyResponse,
): string | undefined => {
  const entry = entries[id]
  const { success } = entry
  if (statusCode !== success.status)
    return statusCode in responseObjects(entry) ? undefined : `the status ${statusCode}`
  if (!('body' in success)) return body && 'a body'
  const json = v.safeParse(JsonText, body)
  if (!json.success) return 'the body is not JSON'
  const { issues = [] } = v.safeParse(success.body, exactJson(body, json.output))
  return issues.map((issue) => `${v.getDotPath(issue) ?? 'body'}: ${issue.message}`).join('; ')
}

const newContext = (functionName: string, timeoutMs: number): Context => {
  const end = Date.now() + timeoutMs
  const context = {
    awsRequestId: randomUUID(),
    functionName,
    functionVersion: '$LATEST',
    getRemainingTimeInMillis: () => end - Date.now(),
  }
  return context as Context // The rest names resources in AWS.
}
