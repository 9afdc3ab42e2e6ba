import { gatewayAnswers } from '../gateway-answers.ts'
import { type PublicDocument, publicDocuments } from '../openapi/public-documents.ts'
import { referenceMethods, referencePaths } from '../openapi/reference-paths.ts'
import { referenceScript } from '../openapi/reference-script.ts'
import { documentResponse, type Logged, preflightResponse } from './gateway-response.ts'
import type { ProxyResponse } from './lambda.ts'

const SCRIPT = '/docs.js'

/** Where documents are, below the base address. */
export const documentPaths: string[] = [...Object.values(referencePaths), SCRIPT]

/** The answer to a request for one of these. Throws an ApiError 404 for what API Gateway does not serve there. */
export const answerFromDocuments = (request: Logged, path: string): ProxyResponse => {
  if (request.method === 'OPTIONS') return preflightResponse(request, referenceMethods)
  documents ??= readDocuments()
  const document = documents[path]
  if (request.method !== 'GET' || !document) throw gatewayAnswers.notFound
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
