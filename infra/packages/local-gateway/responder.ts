import { randomBytes } from 'node:crypto'
import { type IncomingMessage, validateHeaderName, validateHeaderValue } from 'node:http'
import { proxyEvent } from './proxy-event.ts'
import { originOf, RequestError, readRequest } from './request.ts'
import { type FindRoute, routeFinder } from './routes.ts'
import type { ErrorResponse, GatewayOptions, GatewayResponse, Limits } from './types.ts'

/** Creates a request id in the format of API Gateway's extended request ids. */
export const newRequestId = (): string => `${randomBytes(11).toString('base64url')}=`

/** Decides which response a request gets. */
export class Responder {
  readonly #options: GatewayOptions
  readonly #limits: Limits
  readonly #findRoute: FindRoute

  constructor(options: GatewayOptions, limits: Limits) {
    this.#options = options
    this.#limits = limits
    const { basePath, routes, documents } = options
    const paths = [...routes.map(({ path }) => path), ...Object.keys(documents)]
    this.#findRoute = routeFinder(basePath, [...new Set(paths)])
  }

  /** The response of a route, or the gateway's own. */
  async response(message: IncomingMessage, requestId: string): Promise<GatewayResponse> {
    try {
      return await this.#routed(message, requestId)
    } catch (error) {
      const { errors } = this.#options
      const isRequestError = error instanceof RequestError
      return this.#error(requestId, isRequestError ? errors[error.kind] : errors.invocation(error))
    }
  }

  /** The response to what Node.js refuses, by the code of its error. */
  clientErrorResponse(code: string | undefined): GatewayResponse {
    const { errors } = this.#options
    const id = newRequestId()
    if (code === 'HPE_HEADER_OVERFLOW')
      return this.#error(id, errors.headersTooLarge(this.#limits.maxHeaderSize))
    if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return this.#error(id, errors.requestTimeout)
    if (code === 'HPE_INVALID_METHOD') return this.#error(id, errors.unknownMethod)
    return this.#error(id, errors.badRequest)
  }

  async #routed(message: IncomingMessage, requestId: string): Promise<GatewayResponse> {
    const { basePath, routes, documents, errors, preflightHeaders } = this.#options
    const { method = '' } = message
    const request = await readRequest(message, this.#limits.bodyBytes)
    const found = this.#findRoute(request.path)
    const routesHere = routes.filter(({ path }) => path === found?.resource)
    const document = found && documents[found.resource]
    const own = document ? ['GET', 'HEAD'] : routesHere.map((each) => each.method)
    const methods = [...own, 'OPTIONS']
    // It asks for permission, not for the resource, which need not exist.
    if (method === 'OPTIONS') return this.#own(requestId, 204, preflightHeaders(methods))
    if (!found) return this.#error(requestId, errors.notFound)
    const route = routesHere.find((each) => each.method === method)
    if (route)
      return checked(await route.invoke(proxyEvent(message, requestId, request, found, basePath)))
    if (!document || !methods.includes(method))
      return this.#error(requestId, errors.methodNotAllowed(methods))
    const { headers, body } = document(originOf(message))
    return this.#own(requestId, 200, headers, body)
  }

  #error(requestId: string, { status, headers, body }: ErrorResponse): GatewayResponse {
    return this.#own(requestId, status, headers, JSON.stringify(body))
  }

  #own(
    requestId: string,
    statusCode: number,
    headers: Readonly<Record<string, string>>,
    body?: string | Buffer,
  ): GatewayResponse {
    const common = this.#options.commonHeaders(requestId, body !== undefined)
    return { statusCode, headers: { ...common, ...headers }, body }
  }
}

/** Returns a response of a function. Throws an Error if the connection could not send it. */
const checked = (response: GatewayResponse): GatewayResponse => {
  for (const [name, value] of Object.entries(response.headers ?? {})) {
    validateHeaderName(name)
    validateHeaderValue(name, value)
    if (OF_CONNECTION.test(name)) throw new Error(`A function must not return the header ${name}.`)
  }
  return response
}

/** Headers with which the server says where a response ends. */
const OF_CONNECTION = /^(connection|content-length|keep-alive|trailer|transfer-encoding|upgrade)$/i
