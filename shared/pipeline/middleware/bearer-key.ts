import { insufficientScope, unauthorized } from '../../model/api-error.ts'
import type { KeyHolder } from '../../model/api-key.ts'
import type { Scope } from '../../service.ts'
import { headerValues, type Middleware } from '../gateway-event.ts'

// RFC 6750, section 2.1. Scheme names are case-insensitive (RFC 9110, section 11.1).
const BEARER = /^Bearer +(?<key>[\w.~+/-]+=*) *$/i

/** Lets only requests with a valid API key of this scope through (RFC 6750). */
export const bearerKey = (
  findKeyHolder: (key: string) => Promise<KeyHolder | undefined>,
  scope: Scope,
): Middleware => ({
  before: async ({ event }) => {
    const sent = headerValues(event, 'authorization')
    // Repeated headers are rejected, because proxies may disagree on which of them counts.
    const key = sent.length === 1 ? BEARER.exec(sent[0] ?? '')?.groups?.key : undefined
    const holder = key ? await findKeyHolder(key) : undefined
    // Before the check, so that the log names the holder of an expired key, too.
    event.requestContext.authorizer = holder
    if (!holder?.isValid) throw unauthorized({ keyWasSent: key !== undefined })
    if (!holder.scopes.includes(scope)) throw insufficientScope(scope)
  },
})
