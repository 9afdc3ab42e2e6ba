import { randomUUID } from 'node:crypto'
import type { Context } from 'aws-lambda'
import * as v from 'valibot'
import { entries, type OperationId } from '../../shared/contract.ts'
import { exactJson } from '../../shared/model/json.ts'
import { successStatus } from '../../shared/pipeline/entry-rules.ts'
import type { ProxyEvent } from '../../shared/pipeline/gateway-event.ts'
import { gatewayResponses } from '../platform/gateway.ts'
import { runWithPermissions } from './permissions.ts'

export type Handler = (event: ProxyEvent, context: Context) => Promise<unknown>

/**
 * Invokes a function as Lambda and API Gateway do. Throws an ApiError: 502 if it throws or returns
 * no proxy response, 504 after `timeoutMs`. Warns of a body that differs from the contract.
 */
export const invoke = async (
  id: OperationId,
  handler: Handler,
  event: ProxyEvent,
  timeoutMs: number,
) => {
  const { promise: timeout, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(reject, timeoutMs, gatewayResponses.gatewayTimeout)
  try {
    const run = runWithPermissions(id, () => handler(event, newContext(id, timeoutMs)))
    const result = await Promise.race([run, timeout])
    if (!v.is(ProxyResponse, result))
      throw new Error(`The function ${id} did not return a proxy response.`)
    const difference = contractDifference(id, result)
    if (difference)
      console.warn('The response of %s differs from shared/contract.ts: %s', id, difference)
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
    (await import(`../../functions/${id}.ts`)).handler,
  ]
  // (A cast: it has those of `ids` only, but the caller reads no others.)
  return Object.fromEntries(await Promise.all(ids.map(load))) as Record<OperationId, Handler>
}

/** The format that API Gateway expects of a Lambda proxy integration. */
const ProxyResponse = v.object({
  statusCode: v.pipe(v.number(), v.integer(), v.minValue(200), v.maxValue(599)),
  headers: v.optional(v.record(v.string(), v.string())),
  body: v.optional(v.string()),
})

/** How the body of a success differs from the contract; empty if it does not. */
const contractDifference = (
  id: OperationId,
  { statusCode, body = '' }: v.InferOutput<typeof ProxyResponse>,
): string => {
  const entry = entries[id]
  const schema = entry.pages ?? entry.returns
  if (statusCode !== successStatus(entry) || !schema) return ''
  const value = exactJson(body, JSON.parse(body))
  // Only the first, because each item of a list may differ in the same way.
  const { issues: [issue] = [] } = v.safeParse(schema, value)
  return issue ? `${v.getDotPath(issue) ?? 'body'}: ${issue.message}` : ''
}

const newContext = (functionName: string, timeoutMs: number): Context => {
  const end = Date.now() + timeoutMs
  const context = {
    awsRequestId: randomUUID(),
    functionName,
    functionVersion: '$LATEST',
    getRemainingTimeInMillis: () => end - Date.now(),
  }
  return context as Context // Its other properties name resources in AWS.
}
