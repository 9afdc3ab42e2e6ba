import type { APIGatewayProxyEventBase } from 'aws-lambda'

/** The event of a REST API's Lambda proxy integration. */
export type ProxyEvent = APIGatewayProxyEventBase<undefined>

/** A whole response: API Gateway's proxy result, or one with a body of bytes. */
export type GatewayResponse = {
  statusCode: number
  headers?: Readonly<Record<string, string>> | undefined
  body?: string | Buffer | undefined
}

/** A method of a path such as `/pets/{petId}`, and the function that responds to it. */
export type Route = {
  method: string
  path: string
  invoke: (event: ProxyEvent) => Promise<GatewayResponse>
}

/** An error of the gateway itself. It also gets the common headers; `body` is sent as JSON. */
export type ErrorResponse = {
  status: number
  headers: Readonly<Record<string, string>>
  body: object
}

/** The errors of the gateway itself; README.md has when. */
type Errors = {
  badRequest: ErrorResponse
  unknownMethod: ErrorResponse
  notFound: ErrorResponse
  methodNotAllowed: (allowed: readonly string[]) => ErrorResponse
  requestTimeout: ErrorResponse
  payloadTooLarge: ErrorResponse
  unsupportedMediaType: ErrorResponse
  headersTooLarge: (bytes: number) => ErrorResponse
  /** What `invoke` has thrown, or why its response cannot be sent. */
  invocation: (error: unknown) => ErrorResponse
}

export type GatewayOptions = {
  /** The path before those of all routes, such as `/v1`: the stage. */
  basePath: string
  routes: readonly Route[]
  errors: Errors
  /** The headers of a response without a route. */
  commonHeaders: (requestId: string, hasBody: boolean) => Record<string, string>
  /** The headers of the 204 to OPTIONS, a CORS preflight included, where `methods` are allowed. */
  preflightHeaders: (methods: readonly string[]) => Record<string, string>
}
