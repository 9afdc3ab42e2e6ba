import { randomBytes } from 'node:crypto'
import { commonHeaders } from '../../shared/http.ts'
import type { ApiError } from '../../shared/model/api-error.ts'
import { gatewayResponses, preflightHeaders, referenceMethods, referencePaths } from '../gateway.ts'
import { referenceScript } from '../openapi/docs-page.ts'
import { type PublicDocument, publicDocuments } from '../openapi/public-documents.ts'
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

const SCRIPT = '/docs.js'

/** Where documents are, below the base address. */
export const documentPaths: string[] = [...Object.values(referencePaths), SCRIPT]

/** The answer to a request for one of these. Throws an ApiError 404 for what API Gateway does not serve there. */
export const answerFromDocuments = (request: Logged, path: string): ProxyResponse => {
  if (request.method === 'OPTIONS') return preflightResponse(request, referenceMethods)
  documents ??= readDocuments()
  const document = documents[path]
  if (request.method !== 'GET' || !document) throw gatewayResponses.notFound
  return documentResponse(request, document)
}

// Read when they are first asked for: most servers, tests' above all, are started for the operations.
let documents: Record<string, PublicDocument> | undefined

/** What AWS serves, and the script of the page as well, so that it needs no network. */
const readDocuments = (): Record<string, PublicDocument> => {
  const { text, integrity, version } = referenceScript()
  const headers = {
    'Cache-Control': 'public, max-age=31536000, immutable', // Its address has its version.
    'Content-Type': 'text/javascript; charset=utf-8',
  }
  return {
    ...publicDocuments({ address: `/v1${SCRIPT}?${version}`, integrity }),
    [SCRIPT]: { headers, body: text },
  }
}
