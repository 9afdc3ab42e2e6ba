import { stringifyJson } from '../../shared/model/json.ts'
import { referencePaths } from '../gateway.ts'
import { contentSecurityPolicy, docsPage } from './docs-page.ts'
import { openApiDocument } from './document.ts'

/** What is served to whoever asks for it, without a key and without a function, here and in AWS. */
export type PublicDocument = { headers: Record<string, string>; body: string }

/** The interface, as a document and as a page, by path. `script` is that of the page. */
export const publicDocuments = (script: { address: string; integrity: string }): Record<string, PublicDocument> => ({
  [referencePaths.document]: { headers: HEADERS, body: inertJson(stringifyJson(openApiDocument())) },
  [referencePaths.page]: {
    headers: {
      ...HEADERS,
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Security-Policy': contentSecurityPolicy(script.integrity),
    },
    body: docsPage(script),
  },
})

const HEADERS = {
  'Cache-Control': 'no-cache', // Asked for anew, since any deployment may change it.
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
}

/**
 * JSON text of the same value in which nothing means anything to API Gateway, which serves text as templates of the
 * Velocity Template Language: `$` and `#` begin what is filled in, and two backslashes may stand for one. ASCII, too.
 */
export const inertJson = (json: string): string =>
  json.replaceAll(/\\\\|[$#]|[^ -~\n]/g, (part) => `\\u${part.charCodeAt(0).toString(16).padStart(4, '0')}`)
