import type { ServerOptions } from 'node:http'
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

/** The 200 to a GET or HEAD of a path. It also gets the common headers. */
type Document = { headers: Readonly<Record<string, string>>; body: string | Buffer }

/** An error of the gateway itself. It also gets the common headers; `body` is sent as JSON. */
export type ErrorResponse = {
  status: number
  headers: Readonly<Record<string, string>>
  body: object
}

type Errors = {
  /** 400: the request is malformed. */
  badRequest: ErrorResponse
  /** 400: the method is none of HTTP, or not in upper case. */
  unknownMethod: ErrorResponse
  /** 404: no route has the path. */
  notFound: ErrorResponse
  /** 405: the routes of the path have only `allowed` methods. */
  methodNotAllowed: (allowed: readonly string[]) => ErrorResponse
  /** 408: the request did not arrive in time. */
  requestTimeout: ErrorResponse
  /** 413: the body is larger than the limit, also when decompressed. */
  payloadTooLarge: ErrorResponse
  /** 415: the body is neither gzip nor deflate, as its headers say. */
  unsupportedMediaType: ErrorResponse
  /** 431: the URL and headers have more bytes. */
  headersTooLarge: (bytes: number) => ErrorResponse
  /** What `invoke` or a document has thrown, or a response that cannot be sent. */
  invocation: (error: unknown) => ErrorResponse
}

export type Limits = {
  /** Size of the URL and headers in bytes, as in API Gateway: else 431. */
  maxHeaderSize: number
  /** Size of a body in bytes, also when decompressed: else 413. */
  bodyBytes: number
  /** Connections at once: more are closed. */
  maxConnections: number
  /** Requests in flight on one connection: one with more is closed. */
  requests: number
}

export type GatewayOptions = {
  /** The path before those of all routes, such as `/v1`: the stage. */
  basePath: string
  routes: readonly Route[]
  /** Documents by path, for the address that a request was sent to, such as `http://a:80`. */
  documents: Readonly<Record<string, (origin: string) => Document>>
  errors: Errors
  /** The headers of a response without a route. */
  commonHeaders: (requestId: string, hasBody: boolean) => Record<string, string>
  /** The headers of the 204 to OPTIONS, a CORS preflight included, where `methods` are allowed. */
  preflightHeaders: (methods: readonly string[]) => Record<string, string>
  /** Other limits, and settings of Node.js. */
  limits?: Partial<Limits> & ServerOptions
}
