import { randomUUID } from 'node:crypto'
import type { Context } from 'aws-lambda'
import { type OperationId, operationIds } from '../../shared/contract.ts'
import type { ProxyEvent, ProxyResult } from '../../shared/pipeline/gateway-event.ts'
import { functionSettings } from '../platform/functions.ts'
import { gatewayResponses } from '../platform/gateway.ts'
import { runWithPermissions } from './permissions.ts'

export type Handler = (event: ProxyEvent, context: Context) => Promise<ProxyResult>

/** Invokes a function as Lambda does. Throws what it throws, or a 504 after `timeoutMs`. */
export const invoke = async (
  id: OperationId,
  handler: Handler,
  event: ProxyEvent,
  timeoutMs = functionSettings.timeoutSeconds * 1000,
): Promise<ProxyResult> => {
  const { promise: timeout, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(reject, timeoutMs, gatewayResponses.gatewayTimeout)
  try {
    const run = runWithPermissions(id, () => handler(event, newContext(id, timeoutMs)))
    return await Promise.race([run, timeout])
  } finally {
    clearTimeout(timer)
  }
}

/** Loads the functions of all operations. */
export const loadFunctions = async (): Promise<Record<OperationId, Handler>> => {
  const load = async (id: OperationId) => [id, (await import(`../../functions/${id}.ts`)).handler]
  return Object.fromEntries(await Promise.all(operationIds.map(load)))
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
