import { parseJson } from './exact-json.ts'
import { PetStoreError } from './pet-store-error.ts'
import { retryAfterOf } from './retry-after.ts'

/** What a request got. */
export type Answer = { body: unknown; headers: Headers }

/** What a response says. Throws a PetStoreError for all but a success of the service's, with what `isResult` knows. */
export const answerOf = (response: Response, text: string, isResult: (body: object) => boolean): Answer => {
  const body = bodyOf(text)
  if (response.ok && body && isResult(body)) return { body, headers: response.headers }
  throw new PetStoreError(...problemOf(response, body ?? {}))
}

/** The array or object that a text spells; `undefined` where it spells none. */
const bodyOf = (text: string): object | undefined => {
  try {
    const body = parseJson(text)
    return typeof body === 'object' && body ? body : undefined
  } catch {
    return undefined
  }
}

const problemOf = ({ status, headers }: Response, body: object): ConstructorParameters<typeof PetStoreError> => {
  const details = { status, requestId: headers.get('X-Request-Id') ?? undefined, retryAfter: retryAfterOf(headers) }
  if ('code' in body && typeof body.code === 'string' && 'message' in body && typeof body.message === 'string')
    return [body.message, { ...details, code: body.code }]
  return [unexpected(status), { ...details, code: 'unexpected_answer' }]
}

const unexpected = (status: number): string => {
  // A browser says 0 of a redirect that it was told not to follow.
  if (status === 0 || (status >= 300 && status < 400))
    return 'The answer leads to another address, to which the API key is not sent. Check baseUrl.'
  return `The answer (${status}) is not one of the pet store's. Check baseUrl, and what is on the way to it.`
}
