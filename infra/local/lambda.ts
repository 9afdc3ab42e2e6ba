import { randomUUID } from 'node:crypto'
import { validateHeaderName, validateHeaderValue } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import type { Context } from 'aws-lambda'
import type { OperationId } from '../../shared/contract.ts'
import type { Event } from '../../shared/http.ts'
import { gatewayResponses } from '../gateway.ts'
import { withRightsOf } from './rights.ts'

/** The handler of a Lambda function. */
export type Handler = (event: Event, context: Context) => Promise<unknown>

/** A response in the format that API Gateway expects of a Lambda proxy integration. */
export type ProxyResponse = { statusCode: number; headers?: Record<string, string>; body?: string }

/**
 * Invokes a function as Lambda does, and checks its result as API Gateway does.
 *
 * @throws ApiError 502 if the function throws or does not return a proxy response, 504 if it exceeds `timeoutMs`
 */
export const invoke = async (
  id: OperationId,
  handler: Handler,
  event: Event,
  timeoutMs: number,
): Promise<ProxyResponse> => {
  const ended = new AbortController()
  const timeout = pause(timeoutMs, undefined, { signal: ended.signal }).then(() => {
    throw gatewayResponses.gatewayTimeout
  })
  try {
    // Async, so that a handler that throws rejects instead. Otherwise the rejection of the aborted timeout is unhandled.
    const run = withRightsOf(id, async () => handler(event, contextOf(id, timeoutMs)))
    const result = await Promise.race([run, timeout])
    if (!isProxyResponse(result)) throw new Error(`The function ${id} did not return a proxy response.`)
    return result
  } catch (error) {
    if (error === gatewayResponses.gatewayTimeout) throw error
    console.error('Request %s failed in %s:', event.requestContext.extendedRequestId, id, error)
    throw gatewayResponses.badGateway
  } finally {
    ended.abort()
  }
}

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
    // The type requires these methods of old Node.js runtimes; async handlers do not call them.
    done: () => {},
    fail: () => {},
    succeed: () => {},
  }
}
