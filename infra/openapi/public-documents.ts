import { stringifyJson } from '../../shared/model/json.ts'
import { referencePaths } from '../gateway.ts'
import { contentSecurityPolicy, docsPage, type Script } from './docs-page.ts'
import { openApiDocument } from './document.ts'

/** A response that is served to everyone, without an API key and without a Lambda function. */
export type PublicDocument = { headers: Record<string, string>; body: string }

/**
 * The OpenAPI document and the page that shows it, by path.
 *
 * @param script the script that renders the page
 * @param document the text of the document; by default the one for AWS, which is hard to read
 */
export const publicDocuments = (
  script: Script,
  document = inertJson(stringifyJson(openApiDocument())),
): Record<string, PublicDocument> => ({
  [referencePaths.document]: { headers: HEADERS, body: document },
  [referencePaths.page]: {
    headers: {
      ...HEADERS,
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Security-Policy': contentSecurityPolicy(script),
    },
    body: docsPage(script),
  },
})

const HEADERS = {
  'Cache-Control': 'no-cache', // Every deployment may change the documents.
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
}

/**
 * Escapes JSON text so that API Gateway serves it unchanged. A mock integration treats its response as a template of the
 * Velocity Template Language, in which `$` and `#` start expressions and two backslashes can become one. Characters
 * outside ASCII are escaped, too.
 *
 * @returns JSON text of the same value
 */
export const inertJson = (json: string): string =>
  json.replaceAll(/\\\\|[$#]|[^ -~\n]/g, (part) => `\\u${part.charCodeAt(0).toString(16).padStart(4, '0')}`)
