import { randomBytes } from 'node:crypto'
import { commonHeaders } from '../../shared/http.ts'
import type { ApiError } from '../../shared/model/api-error.ts'
import { service } from '../../shared/service.ts'
import { gatewayResponses, preflightHeaders, referenceMethods, referencePaths } from '../gateway.ts'
import { referenceScript, referenceScriptText } from '../openapi/docs-page.ts'
import { openApiText } from '../openapi/document.ts'
import { type PublicDocument, publicDocuments } from '../openapi/public-documents.ts'
import { LOCAL_API_KEY } from './credentials.ts'
import type { ProxyResponse } from './lambda.ts'

/** Creates a request id in the format of API Gateway's extended request ids. */
export const newRequestId = (): string => `${randomBytes(11).toString('base64url')}=`

/** The gateway response for an error. */
export const gatewayResponse = (requestId: string, { status, headers, body }: ApiError): ProxyResponse =>
  response(requestId, status, headers, JSON.stringify(body))

/** The response to a CORS preflight request (Fetch standard). */
export const preflightResponse = (requestId: string, methods: string[]): ProxyResponse =>
  response(requestId, 204, preflightHeaders(methods))

const SCRIPT = '/docs.js'

/** The paths of the documents below the base address. */
export const documentPaths: string[] = [...Object.values(referencePaths), SCRIPT]

/**
 * The response to a request for one of these paths.
 *
 * @throws ApiError 404 for methods that API Gateway does not serve there
 */
export const documentResponse = (requestId: string, method: string | undefined, path: string): ProxyResponse => {
  if (method === 'OPTIONS') return preflightResponse(requestId, referenceMethods)
  documents ??= readDocuments()
  const document = documents[path]
  if (method !== 'GET' || !document) throw gatewayResponses.notFound
  return response(requestId, 200, document.headers, document.body)
}

/** The response to a browser at an address where the API has nothing to show: the reference is what it looks for. */
export const redirectToReference = (requestId: string): ProxyResponse =>
  response(requestId, 302, { Location: `${service.basePath}${referencePaths.page}` })

// Read on the first request for one, because it takes time that most starts of the server do not need to spend.
let documents: Record<string, PublicDocument> | undefined

/** The documents that AWS serves, and the script of the page, so that the page works without a network. */
const readDocuments = (): Record<string, PublicDocument> => {
  const { integrity, version } = referenceScript
  const headers = {
    'Cache-Control': 'public, max-age=31536000, immutable', // The address contains the version.
    'Content-Type': 'text/javascript; charset=utf-8',
  }
  const script = { address: `${service.basePath}${SCRIPT}?${version}`, integrity, apiKey: LOCAL_API_KEY }
  return {
    ...publicDocuments(script, openApiText()),
    [SCRIPT]: { headers, body: referenceScriptText() },
  }
}

const response = (
  requestId: string,
  statusCode: number,
  headers: Readonly<Record<string, string>>,
  body?: string,
): ProxyResponse => ({
  statusCode,
  headers: { ...commonHeaders(requestId, body !== undefined), ...headers },
  ...(body && { body }),
})
