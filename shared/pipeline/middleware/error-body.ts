import { ApiError, internalServerError } from '../../model/api-error.ts'
import { stringifyJson } from '../../model/json.ts'
import { type Middleware, proxyResult, requestId } from '../gateway-event.ts'

/** Turns every error into a response with the Error body. */
export const errorBody = (): Middleware => ({
  onError: (request) => {
    const error =
      request.error instanceof ApiError ? request.error : internalServerError(request.error)
    if (error.status >= 500)
      console.error(
        'Request %s failed with status %d:',
        requestId(request.event),
        error.status,
        error.cause,
      )
    const { status, headers, body } = error
    request.response = proxyResult(request.event, status, headers, stringifyJson(body))
  },
})
