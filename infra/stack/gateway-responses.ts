import {
  type IResource,
  MockIntegration,
  PassthroughBehavior,
  ResponseType,
  type RestApi,
} from 'aws-cdk-lib/aws-apigateway'
import { commonHeaders } from '../../shared/http.ts'
import type { ApiError } from '../../shared/model/api-error.ts'
import { gatewayResponses, gatewayResponseTypes, preflightHeaders, referenceMethods } from '../gateway.ts'
import { referenceScript } from '../openapi/docs-page.ts'
import { publicDocuments } from '../openapi/public-documents.ts'

/** Makes every answer that API Gateway gives by itself one of ours: body, status and headers. */
export const addGatewayResponses = (api: RestApi): void => {
  for (const [type, { status, headers, body }] of Object.entries(gatewayResponseTypes)) {
    api.addGatewayResponse(type, {
      type: ResponseType.of(type),
      // Set for every type: a status on a default type would override those that have none of their own.
      statusCode: String(status),
      responseHeaders: asWritten(headers),
      templates: { 'application/json': JSON.stringify(body) },
    })
  }
}

/**
 * Answers 404 wherever no operation is. A REST API would answer 403 there, and take `Authorization: Bearer …` for an
 * AWS signature that is broken, which it repeats.
 */
export const refuseUnknownPaths = (api: RestApi): void => {
  refuse(api.root, gatewayResponses.notFound)
  refuse(api.root.addResource('{proxy+}'), gatewayResponses.notFound)
}

/** Answers 405 to every method that a resource does not take. */
export const refuseOtherMethods = (resource: IResource, allowed: string[]): void =>
  refuse(resource, gatewayResponses.methodNotAllowed(allowed))

/** Answers browsers that ask what they may send (Fetch standard, CORS-preflight request). */
export const answerPreflights = (resource: IResource, methods: string[]): void =>
  mockResponse(resource, 'OPTIONS', { status: 204, headers: preflightHeaders(methods) })

/** Serves the description of the interface to whoever asks for it; the script of its page comes from a CDN. */
export const serveReference = (api: RestApi): void => {
  const { publicAddress: address, integrity } = referenceScript()
  for (const [path, document] of Object.entries(publicDocuments({ address, integrity }))) {
    const resource = api.root.resourceForPath(path)
    mockResponse(resource, 'GET', { status: 200, ...document })
    answerPreflights(resource, referenceMethods)
    refuse(resource, gatewayResponses.notFound)
  }
}

const refuse = (resource: IResource, { status, headers, body }: ApiError): void =>
  mockResponse(resource, 'ANY', { status, headers, body: JSON.stringify(body) })

type Headers = Readonly<Record<string, string>>

/** An answer that API Gateway gives without a function. */
export type MockResponse = { status: number; headers: Headers; body?: string }

/** Makes API Gateway give an answer by itself. Nothing is filled in: `body` is a template, but one without `$` and `#`. */
export const mockResponse = (resource: IResource, method: string, { status, headers, body }: MockResponse): void => {
  const statusCode = String(status)
  const named = Object.entries(asWritten(headers)).map(([name, value]) => [`method.response.header.${name}`, value])
  const integration = new MockIntegration({
    passthroughBehavior: PassthroughBehavior.NEVER,
    requestTemplates: Object.fromEntries(BODY_TYPES.map((type) => [type, `{"statusCode": ${statusCode}}`])),
    integrationResponses: [
      {
        statusCode,
        responseParameters: Object.fromEntries(named),
        // The only template is taken, whatever type the answer has and the client accepts.
        ...(body && { responseTemplates: { 'application/json': body } }),
      },
    ],
  })
  const responseParameters = Object.fromEntries(named.map(([name]) => [name, true]))
  resource.addMethod(method, integration, { methodResponses: [{ statusCode, responseParameters }] })
}

// A MOCK integration has one template a type of request body. Any type without one is answered 415.
const BODY_TYPES = [
  'application/json',
  'application/octet-stream',
  'application/x-www-form-urlencoded',
  'application/xml',
  'multipart/form-data',
  'text/html',
  'text/plain',
  'text/xml',
]

/** Headers as API Gateway writes them: a fixed value stands in quotes. */
export const asWritten = (headers: Headers): Record<string, string> => {
  const fixed = Object.entries({ ...commonHeaders(''), ...headers }).map(([name, value]) => [name, `'${value}'`])
  return { ...Object.fromEntries(fixed), 'X-Request-Id': 'context.extendedRequestId' }
}
