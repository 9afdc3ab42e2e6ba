import { stringifyJson } from '../../shared/model/json.ts'
import { referenceHeaders, referencePaths } from '../gateway.ts'
import { openApiDocument } from './document.ts'
import { referencePage } from './page.ts'

type PublicDocuments = Record<string, { headers: Record<string, string>; body: string }>

/** What everyone may get from API Gateway, by path. */
export const publicDocuments = (): PublicDocuments => ({
  [referencePaths.document]: {
    headers: referenceHeaders,
    body: inertJson(stringifyJson(openApiDocument())),
  },
  [referencePaths.page]: referencePage(),
})

/**
 * Escapes JSON without changing its value: to a mock integration, it is a Velocity template, in
 * which `$` and `#` start expressions and two backslashes can become one.
 */
const inertJson = (json: string): string =>
  json.replaceAll(
    /\\\\|[$#]|[^ -~\n]/g,
    (part) => `\\u${part.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
