import { referenceHeaders, referencePaths } from '../../gateway.ts'
import { openApiText } from '../../openapi/document.ts'
import { pageDocuments } from './page.ts'

type Document = { headers: Record<string, string>; body: string }

/** What the local server gives to everyone, by path, for the host that a request names. */
export const documents: Record<string, (host: string) => Document> = {
  // Without the escapes that API Gateway needs, and with the address that generators need.
  [referencePaths.document]: (host) => ({
    headers: referenceHeaders,
    body: openApiText(`http://${host}`),
  }),
  ...pageDocuments,
}
