import type { APIGatewayProxyEventBase, APIGatewayProxyResult } from 'aws-lambda'

/** The event of a REST API's Lambda proxy integration. Without a resource, that is ''. */
export type ProxyEvent = APIGatewayProxyEventBase<undefined>

export type GatewayOptions = {
  /** The path of the stage, such as `/v1`. */
  basePath: string
  /** The paths of the resources, such as `/pets/{petId}`. */
  paths: string[]
  invoke: (event: ProxyEvent) => Promise<APIGatewayProxyResult>
  errors: GatewayErrors
  /** The response to one of `errors`, or to what `invoke` threw. */
  errorResponse: (error: unknown, requestId: string) => APIGatewayProxyResult
}

/** The errors of the gateway itself: see README.md. */
export type GatewayErrors = {
  badRequest: Error
  unknownMethod: Error
  requestTimeout: Error
  payloadTooLarge: Error
  unsupportedMediaType: Error
  headersTooLarge: Error
}
