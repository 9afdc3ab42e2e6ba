import {
  type IResource,
  MockIntegration,
  PassthroughBehavior,
  ResponseType,
  type RestApi,
} from 'aws-cdk-lib/aws-apigateway'
import type { ApiError } from '../shared/model/api-error.ts'
import { commonHeaders } from '../shared/response.ts'
import { gatewayAnswers, gatewayResponseTypes, preflightHeaders } from './gateway-answers.ts'

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
  refuse(api.root, gatewayAnswers.notFound)
  refuse(api.root.addResource('{proxy+}'), gatewayAnswers.notFound)
}

/** Answers 405 to every method that a resource does not take. */
export const refuseOtherMethods = (resource: IResource, allowed: string[]): void =>
  refuse(resource, gatewayAnswers.methodNotAllowed(allowed))

/** Answers browsers that ask what they may send (Fetch standard, CORS-preflight request). */
export const answerPreflights = (resource: IResource, methods: string[]): void =>
  answer(resource, 'OPTIONS', { status: 204, headers: preflightHeaders(methods) })

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

const refuse = (resource: IResource, { status, headers, body }: ApiError): void =>
  answer(resource, 'ANY', { status, headers, body: JSON.stringify(body) })

type Answer = { status: number; headers: Readonly<Record<string, string>>; body?: string }

const answer = (resource: IResource, method: string, { status, headers, body }: Answer): void => {
  const statusCode = String(status)
  const named = Object.entries(asWritten(headers)).map(([name, value]) => [`method.response.header.${name}`, value])
  const integration = new MockIntegration({
    passthroughBehavior: PassthroughBehavior.NEVER,
    requestTemplates: Object.fromEntries(BODY_TYPES.map((type) => [type, `{"statusCode": ${statusCode}}`])),
    integrationResponses: [
      {
        statusCode,
        responseParameters: Object.fromEntries(named),
        ...(body && { responseTemplates: { 'application/json': body } }),
      },
    ],
  })
  const responseParameters = Object.fromEntries(named.map(([name]) => [name, true]))
  resource.addMethod(method, integration, { methodResponses: [{ statusCode, responseParameters }] })
}

/** Headers as API Gateway writes them: a fixed value stands in quotes. */
const asWritten = (headers: Readonly<Record<string, string>>): Record<string, string> => {
  const fixed = Object.entries({ ...commonHeaders(''), ...headers }).map(([name, value]) => [name, `'${value}'`])
  return { ...Object.fromEntries(fixed), 'X-Request-Id': 'context.extendedRequestId' }
}
