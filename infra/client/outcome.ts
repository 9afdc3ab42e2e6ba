import { NO_PATH } from './operations.ts'
import type { Request } from './request.ts'
import type { ServiceError } from './response.ts'

/** What an error means for the attempt that got it, and for the call. */
type Meaning = {
  /** Statuses and codes. The first row that names an error holds. */
  errors: (number | string)[]
  /** `open`: it may have taken effect, or still run. `unhandled`: the service has not seen it. */
  attempt: 'open' | 'unhandled' | 'ended'
  /** What a write gets if an earlier attempt is open. All other calls get the error. */
  afterOpen: 'error' | 'unknown_outcome' | 'success of a delete'
}

const meanings: Meaning[] = [
  // The error says itself that the outcome is open.
  { errors: ['no_answer', 502, 503, 504], attempt: 'open', afterOpen: 'error' },
  { errors: [429], attempt: 'unhandled', afterOpen: 'unknown_outcome' },
  { errors: ['unexpected_answer'], attempt: 'ended', afterOpen: 'error' },
  // The request alone is the reason: no attempt can take effect.
  { errors: [400, 413, 415], attempt: 'ended', afterOpen: 'error' },
  // There is nothing left to delete.
  { errors: ['not_found'], attempt: 'ended', afterOpen: 'success of a delete' },
]

// The reason may be newer than the open attempt, or gone before it ends: a revoked key (401, 403),
// a change by somebody else (409, 412, 422). A 500 is a bug.
const anyOther: Meaning = { errors: [], attempt: 'ended', afterOpen: 'unknown_outcome' }

export const errorMeaning = ({ code, status }: ServiceError): Meaning =>
  meanings.find(({ errors }) => errors.includes(code) || errors.includes(status)) ?? anyOther

/** What a call gets if it ends with `error`. `isOpen`: whether an earlier attempt is open. */
export const callOutcome = ({ route, init }: Request, error: ServiceError, isOpen: boolean) => {
  if (route.method === 'GET' || !isOpen) return 'error'
  const { afterOpen } = errorMeaning(error)
  if (afterOpen !== 'success of a delete') return afterOpen
  const pathExists = !error.message.startsWith(NO_PATH)
  const isDeleted = route.method === 'DELETE' && pathExists && !init.headers.has('If-Match')
  return isDeleted ? 'success' : 'unknown_outcome'
}
