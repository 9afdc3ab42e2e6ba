import {
  type IResource,
  MockIntegration,
  PassthroughBehavior,
  ResponseType,
  type RestApi,
} from 'aws-cdk-lib/aws-apigateway'
import type { ApiError } from '../../shared/model/api-error.ts'
import { commonHeaders, httpsHeaders } from '../../shared/pipeline/gateway-event.ts'
import { publicDocuments } from '../openapi/reference.ts'
import { gatewayResponses, gatewayResponseTypes, preflightHeaders } from '../platform/gateway.ts'
import type { Stage } from '../stages.ts'

/** Adds the responses without a function, except at the paths of operations. */
export const addFixedResponses = (api: RestApi, stage: Stage, baseUrls: string[]): void => {
  addGatewayResponses(api, stage)
  // By default, API Gateway returns 403 for other paths, and repeats the header `Authorization` as
  // a broken AWS signature. A preflight is allowed, so that pages can read the 404.
  for (const resource of [api.root, api.root.addResource('{proxy+}')])
    addMockMethods(resource, [], gatewayResponses.notFound)
  // The OpenAPI document and its page, for everyone.
  const methods = ['GET', 'HEAD']
  for (const [path, document] of Object.entries(publicDocuments(baseUrls))) {
    const resource = api.root.resourceForPath(path)
    for (const method of methods) addMock(resource, method, { status: 200, ...document })
    addMockMethods(resource, methods)
  }
}

/** Responds to OPTIONS, and with an error, by default a 405, to what is not among `methods`. */
export const addMockMethods = (resource: IResource, methods: string[], error?: ApiError): void => {
  const allowed = [...methods, 'OPTIONS']
  addMock(resource, 'OPTIONS', { status: 204, headers: preflightHeaders(allowed) })
  const { status, headers, body } = error ?? gatewayResponses.methodNotAllowed(allowed)
  addMock(resource, 'ANY', { status, headers, body: JSON.stringify(body) })
}

const addGatewayResponses = (api: RestApi, { firewall }: Stage): void => {
  // Our firewall limits rates; another one may refuse a request for any reason.
  const byRate = { WAF_FILTERED: gatewayResponses.tooManyRequests }
  const responses = { ...gatewayResponseTypes, ...(firewall && byRate) }
  for (const [type, { status, headers, body }] of Object.entries(responses)) {
    api.addGatewayResponse(type, {
      type: ResponseType.of(type),
      // Set for every type, because the status of a default type overrides types without one.
      statusCode: String(status),
      responseHeaders: mapHeaders(headers, body),
      templates: { 'application/json': JSON.stringify(body) },
    })
  }
}

type Headers = Readonly<Record<string, string>>

type MockResponse = { status: number; headers: Headers; body?: string }

/** Adds a method without a function. `body` is a Velocity template: no `$` or `#`. */
const addMock = (resource: IResource, method: string, response: MockResponse): void => {
  const { status, headers, body } = response
  const statusCode = String(status)
  const sent: Record<string, string> = {}
  for (const [name, value] of Object.entries(mapHeaders(headers, body)))
    sent[`method.response.header.${name}`] = value
  // A single template holds for every Content-Type and Accept.
  const templates = body && { responseTemplates: { 'application/json': body } }
  const integration = new MockIntegration({
    passthroughBehavior: PassthroughBehavior.NEVER,
    requestTemplates: Object.fromEntries(
      CONTENT_TYPES.map((type) => [type, `{"statusCode": ${statusCode}}`]),
    ),
    integrationResponses: [{ statusCode, responseParameters: sent, ...templates }],
  })
  const declared = Object.fromEntries(Object.keys(sent).map((name) => [name, true]))
  const methodResponses = [{ statusCode, responseParameters: declared }]
  resource.addMethod(method, integration, { methodResponses })
}

// A mock integration returns 415 for others. It ignores parameters such as the charset.
const CONTENT_TYPES = [
  'application/json',
  'application/merge-patch+json',
  'application/octet-stream',
  'application/x-www-form-urlencoded',
  'application/xml',
  'multipart/form-data',
  'text/html',
  'text/plain',
  'text/xml',
]

/** Writes headers as API Gateway maps them: fixed values in single quotes. */
const mapHeaders = (headers: Headers, body: unknown): Record<string, string> => {
  const requestId = '' // Replaced below: only API Gateway knows it.
  const sent = { ...commonHeaders(requestId, body !== undefined), ...httpsHeaders, ...headers }
  const mapped: Record<string, string> = {}
  for (const [name, value] of Object.entries(sent)) mapped[name] = `'${value}'`
  return { ...mapped, 'X-Request-Id': 'context.extendedRequestId' }
}
