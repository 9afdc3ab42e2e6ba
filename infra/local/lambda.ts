import { randomUUID } from 'node:crypto'
import { validateHeaderName, validateHeaderValue } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import type { Context } from 'aws-lambda'
import type { OperationId } from '../../shared/contract.ts'
import type { Event } from '../../shared/http.ts'
import { gatewayResponses } from '../gateway.ts'

/** What a function's file exports. */
export type Handler = (event: Event, context: Context) => Promise<unknown>

/** A response as API Gateway takes it from a function. */
export type ProxyResponse = { statusCode: number; headers?: Record<string, string>; body?: string }

/**
 * Runs a function as Lambda does, and takes its result as API Gateway does.
 *
 * @throws ApiError 502 where the function throws or returns no proxy response, 504 where it takes too long
 */
export const invoke = async (id: OperationId, handler: Handler, event: Event, timeoutMs: number) => {
  const ended = new AbortController()
  const timeout = pause(timeoutMs, undefined, { signal: ended.signal }).then(() => {
    throw gatewayResponses.gatewayTimeout
  })
  try {
    const result = await Promise.race([run(handler, event, contextOf(id, timeoutMs)), timeout])
    if (!isProxyResponse(result)) throw new Error(`The function ${id} returned no proxy response.`)
    return result
  } catch (error) {
    if (error === gatewayResponses.gatewayTimeout) throw error
    console.error('Request %s failed in %s:', event.requestContext.extendedRequestId, id, error)
    throw gatewayResponses.badGateway
  } finally {
    ended.abort()
  }
}

// Async, so that a handler that throws rejects: Promise.race must get both, or nobody would hear the timeout's end.
const run = async (handler: Handler, event: Event, context: Context): Promise<unknown> => handler(event, context)

const isProxyResponse = (result: unknown): result is ProxyResponse => {
  if (typeof result !== 'object' || result === null || !('statusCode' in result)) return false
  const { statusCode, headers = {}, body = '' }: { statusCode: unknown; headers?: unknown; body?: unknown } = result
  const isStatus = Number.isInteger(statusCode) && Number(statusCode) >= 200 && Number(statusCode) <= 599
  return isStatus && areHeaders(headers) && typeof body === 'string'
}

const areHeaders = (headers: unknown): boolean => {
  if (typeof headers !== 'object' || headers === null) return false
  try {
    for (const [name, value] of Object.entries(headers)) {
      validateHeaderName(name)
      validateHeaderValue(name, value)
    }
    return true
  } catch {
    return false
  }
}

const contextOf = (id: OperationId, timeoutMs: number): Context => {
  const end = Date.now() + timeoutMs
  return {
    awsRequestId: randomUUID(),
    callbackWaitsForEmptyEventLoop: true,
    functionName: id,
    functionVersion: '$LATEST',
    invokedFunctionArn: `arn:aws:lambda:us-east-1:000000000000:function:${id}`,
    logGroupName: `/aws/lambda/${id}`,
    logStreamName: 'local',
    memoryLimitInMB: '0',
    getRemainingTimeInMillis: () => end - Date.now(),
    // Of Node.js functions before async ones; no handler here calls them.
    done: () => {},
    fail: () => {},
    succeed: () => {},
  }
}
