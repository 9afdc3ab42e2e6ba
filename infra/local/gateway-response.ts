import { randomBytes } from 'node:crypto'
import type { ApiError } from '../../shared/model/api-error.ts'
import { commonHeaders } from '../../shared/response.ts'
import { preflightHeaders } from '../gateway-answers.ts'
import type { PublicDocument } from '../openapi/public-documents.ts'
import type { ProxyResponse } from './lambda.ts'

/** A request as the log knows it; one that is no HTTP has no more than its id. */
export type Logged = { requestId: string; method?: string | undefined; path?: string | undefined }

/** A new id of a request, in the shape of API Gateway's extended request ids. */
export const newRequestId = (): string => `${randomBytes(11).toString('base64url')}=`

/** What API Gateway would answer by itself, as a response. Logged here, as functions log what they answer. */
export const gatewayResponse = (request: Logged, { status, headers, body }: ApiError): ProxyResponse =>
  logged(request, status, headers, JSON.stringify(body))

/** The answer to a browser that asks what it may send (Fetch standard, CORS-preflight request). */
export const preflightResponse = (request: Logged, methods: string[]): ProxyResponse =>
  logged(request, 204, preflightHeaders(methods))

/** A document that whoever asks for it gets. */
export const documentResponse = (request: Logged, { headers, body }: PublicDocument): ProxyResponse =>
  logged(request, 200, headers, body)

const logged = (request: Logged, status: number, headers: Readonly<Record<string, string>>, body?: string) => {
  console.info({ ...request, status })
  return { statusCode: status, headers: { ...commonHeaders(request.requestId), ...headers }, ...(body && { body }) }
}
