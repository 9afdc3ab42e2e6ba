import {
  type IResource,
  MockIntegration,
  PassthroughBehavior,
  ResponseType,
  type RestApi,
} from 'aws-cdk-lib/aws-apigateway'
import type { ApiError } from '../../shared/model/api-error.ts'
import { commonHeaders } from '../../shared/pipeline/http.ts'
import { gatewayResponses, gatewayResponseTypes, preflightHeaders, referenceMethods } from '../gateway.ts'
import { publicDocuments } from '../openapi/public-documents.ts'

/** Replaces API Gateway's own error responses: status, headers and body. */
export const addGatewayResponses = (api: RestApi): void => {
  for (const [type, { status, headers, body }] of Object.entries(gatewayResponseTypes)) {
    api.addGatewayResponse(type, {
      type: ResponseType.of(type),
      // Set for every type, because the status of a default type overrides types without one.
      statusCode: String(status),
      responseHeaders: mappedHeaders(headers, true),
      templates: { 'application/json': JSON.stringify(body) },
    })
  }
}

/**
 * Returns 404 for a path without an operation. By default, a REST API returns 403 there, and reads
 * `Authorization: Bearer …` as a broken AWS signature, which it repeats in the message.
 */
export const addNotFound = (api: RestApi): void => {
  addError(api.root, gatewayResponses.notFound)
  addError(api.root.addResource('{proxy+}'), gatewayResponses.notFound)
}

/** Returns 405 for every method that a resource does not have. */
export const addOtherMethods = (resource: IResource, allowed: string[]): void =>
  addError(resource, gatewayResponses.methodNotAllowed(allowed))

/** Responds to CORS preflight requests (Fetch standard). */
export const addPreflight = (resource: IResource, methods: string[]): void =>
  addMock(resource, 'OPTIONS', { status: 204, headers: preflightHeaders(methods) })

/** Serves the OpenAPI document and its page without an API key. The page loads its script from a CDN. */
export const addReference = (api: RestApi): void => {
  for (const [path, document] of Object.entries(publicDocuments())) {
    const resource = api.root.resourceForPath(path)
    addMock(resource, 'GET', { status: 200, ...document })
    addPreflight(resource, referenceMethods)
    addOtherMethods(resource, referenceMethods)
  }
}

/** Returns an error for every method that the resource does not have. */
const addError = (resource: IResource, { status, headers, body }: ApiError): void =>
  addMock(resource, 'ANY', { status, headers, body: JSON.stringify(body) })

type HeaderValues = Readonly<Record<string, string>>

/** Adds a method without a function. API Gateway uses `body` as a template: it must not contain `$` or `#`. */
const addMock = (
  resource: IResource,
  method: string,
  { status, headers, body }: { status: number; headers: HeaderValues; body?: string },
): void => {
  const statusCode = String(status)
  const mapped = Object.entries(mappedHeaders(headers, body !== undefined)).map(([name, value]) => [
    `method.response.header.${name}`,
    value,
  ])
  const integration = new MockIntegration({
    passthroughBehavior: PassthroughBehavior.NEVER,
    requestTemplates: Object.fromEntries(CONTENT_TYPES.map((type) => [type, `{"statusCode": ${statusCode}}`])),
    integrationResponses: [
      {
        statusCode,
        responseParameters: Object.fromEntries(mapped),
        // API Gateway uses a single template whatever the response's Content-Type and the client's Accept are.
        ...(body && { responseTemplates: { 'application/json': body } }),
      },
    ],
  })
  const responseParameters = Object.fromEntries(mapped.map(([name]) => [name, true]))
  resource.addMethod(method, integration, { methodResponses: [{ statusCode, responseParameters }] })
}

// A mock integration returns 415 for a request of a content type that it has no template for. It compares the type alone,
// without parameters such as the charset.
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

/** The headers as API Gateway maps them: fixed values in single quotes. */
const mappedHeaders = (headers: HeaderValues, hasBody: boolean): Record<string, string> => {
  const all = Object.entries({ ...commonHeaders('', hasBody), ...headers }).map(([name, value]) => [name, `'${value}'`])
  return { ...Object.fromEntries(all), 'X-Request-Id': 'context.extendedRequestId' }
}
