import { type IResource, ResponseType, type RestApi } from 'aws-cdk-lib/aws-apigateway'
import type { ApiError } from '../shared/model/api-error.ts'
import { gatewayAnswers, gatewayResponseTypes, preflightHeaders } from './gateway-answers.ts'
import { asWritten, mockAnswer } from './mock-answer.ts'
import { publicDocuments } from './openapi/public-documents.ts'
import { referenceMethods } from './openapi/reference-paths.ts'
import { referenceScript } from './openapi/reference-script.ts'

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
  mockAnswer(resource, 'OPTIONS', { status: 204, headers: preflightHeaders(methods) })

/** Serves the description of the interface to whoever asks for it; the script of its page comes from a CDN. */
export const serveReference = (api: RestApi): void => {
  const { publicAddress: address, integrity } = referenceScript()
  for (const [path, document] of Object.entries(publicDocuments({ address, integrity }))) {
    const resource = api.root.resourceForPath(path)
    mockAnswer(resource, 'GET', { status: 200, ...document })
    answerPreflights(resource, referenceMethods)
    refuse(resource, gatewayAnswers.notFound)
  }
}

const refuse = (resource: IResource, { status, headers, body }: ApiError): void =>
  mockAnswer(resource, 'ANY', { status, headers, body: JSON.stringify(body) })
