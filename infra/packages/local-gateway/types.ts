import type { APIGatewayProxyEventBase, APIGatewayProxyResult } from 'aws-lambda'

/** The event of a REST API's Lambda proxy integration. Without a resource, that is ''. */
export type ProxyEvent = APIGatewayProxyEventBase<undefined>

export type GatewayOptions = {
  /** The path before all others, such as `/v1`: the stage. */
  basePath: string
  /** The paths of the resources, such as `/pets/{petId}`. */
  paths: string[]
  invoke: (event: ProxyEvent) => Promise<APIGatewayProxyResult>
  errors: GatewayErrors
  /** The response to one of `errors`, or to what `invoke` has thrown. */
  errorResponse: (error: unknown, requestId: string) => APIGatewayProxyResult
}

/** The errors of the gateway itself; README.md has when. */
export type GatewayErrors = {
  badRequest: Error
  unknownMethod: Error
  requestTimeout: Error
  payloadTooLarge: Error
  unsupportedMediaType: Error
  headersTooLarge: Error
}
