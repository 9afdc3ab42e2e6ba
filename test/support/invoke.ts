import type { Context } from 'aws-lambda'
import { afterEach, vi } from 'vitest'
import { runWithPermissions } from '../../infra/local/permissions.ts'
import { contract, operationIds } from '../../shared/contract.ts'
import type { ProxyEvent, ProxyResult } from '../../shared/pipeline/gateway-event.ts'
import { refuseInternals, refuseLoggedSecrets } from './secrets.ts'

type Handler = (event: ProxyEvent, context: Context) => Promise<ProxyResult>

// Loaded now, because a later reset of the modules must not change them.
const functions = await Promise.all(
  operationIds.map(async (id) => {
    const { handler }: { handler: Handler } = await import(`../../functions/${id}.ts`)
    return { route: `${contract[id].method} ${contract[id].path}`, id, handler }
  }),
)

/**
 * Invokes the function that `event` is for, with its permissions. Returns the whole response, with
 * its body parsed.
 */
export const invoke = async (event: ProxyEvent) => {
  const called = functions.find(({ route }) => route === `${event.httpMethod} ${event.resource}`)
  if (!called) throw new Error(`No function is for ${event.httpMethod} ${event.resource}.`)
  const {
    statusCode: status,
    headers,
    body,
  } = await runWithPermissions(called.id, () => called.handler(event, context))
  refuseInternals({ status, headers, text: body })
  return { status, headers, body: body ? JSON.parse(body) : undefined }
}

/** What the functions have logged in a test. */
const logged: unknown[][] = []
const keep = (...line: unknown[]): void => void logged.push(line)
afterEach(() => refuseLoggedSecrets(logged.splice(0)))

/** The request log of the functions, which is not printed. */
export const infoLog = vi.spyOn(console, 'info').mockImplementation(keep)

/** The error log of the functions, which is not printed. */
export const errorLog = vi.spyOn(console, 'error').mockImplementation(keep)

/** The context that Lambda passes to a function. */
// The functions read nothing else of it.
export const context = { functionVersion: '$LATEST' } as Context
