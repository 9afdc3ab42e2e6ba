import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { service } from '../../shared/service.ts'
import { referenceHeaders, referencePaths } from '../platform/gateway.ts'
import { openApiDocument } from './document.ts'

type PublicDocuments = Record<string, { headers: Record<string, string>; body: string }>

/** What everyone may get from API Gateway, by path, if the API has these base addresses. */
export const publicDocuments = (baseUrls: readonly string[]): PublicDocuments => ({
  [referencePaths.document]: {
    headers: referenceHeaders,
    body: inertJson(JSON.stringify(openApiDocument(baseUrls))),
  },
  [referencePaths.page]: referencePage(),
})

/** The page of the OpenAPI document, with the address of Scalar's script and a public API key. */
export const referencePage = (script = referenceScript.publicAddress, apiKey?: string) => {
  const headers = {
    ...referenceHeaders,
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Security-Policy': CONTENT_SECURITY_POLICY,
  }
  return { headers, body: htmlPage(script, apiKey) }
}

/**
 * Escapes JSON without changing its value: to a mock integration, it is a Velocity template, in
 * which `$` and `#` start expressions and two backslashes can become one. CDK's tokens stay: the
 * deployment puts addresses in their place.
 */
const inertJson = (json: string): string =>
  json.replaceAll(
    /\\\\|\$(?!\{Token\[)|#|[^ -~\n]/g,
    (part) => `\\u${part.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )

/** Scalar's script, which renders the page: its digest, and its URL on a CDN. */
const referenceScript = {
  integrity: 'sha384-U11tb2XnKvmwt8RlTvnwUnYgrN+ur4Xyh9htLhjajWNR/Oyl5AX5DEz00qRmlrmK',
  publicAddress:
    'https://cdn.jsdelivr.net/npm/@scalar/api-reference@1.72.1/dist/browser/standalone.js',
}

/** A file of the page. */
const readText = (file: string): string =>
  readFileSync(new URL(`reference/${file}`, import.meta.url), 'utf8')

const START = readText('start.js')

/** The HTML page that shows the OpenAPI document, with a console for trying the operations. */
const htmlPage = (script: string, token?: string): string => {
  // Relative: the page calls the address that it comes from. Its policy blocks all others.
  const servers = [{ url: service.basePath }]
  const settings = { url: DOCUMENT, servers, token, customCss: readText('style.css') }
  const json = JSON.stringify(settings).replaceAll('<', '\\u003c')
  const values: Record<string, string> = {
    title: service.title,
    document: DOCUMENT,
    script,
    integrity: referenceScript.integrity,
    ownScripts: `<script type="application/json">${json}</script>\n<script>${START}</script>`,
  }
  return readText('page.html').replaceAll(/{{(\w+)}}/g, (_, name) => `${values[name]}`)
}

/** Lets the page run its two scripts, and call only its own API: no other host gets a key. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  `script-src '${referenceScript.integrity}' 'sha256-${hash('sha256', START, 'base64')}'`,
  "connect-src 'self'",
  "style-src 'unsafe-inline'", // Scalar creates style elements.
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  // Last: API Gateway strips the quotes around the whole value, and would strip one at its end.
  'img-src data:',
].join('; ')

// Absolute, because the page is also served at `/v1/docs/`.
const DOCUMENT = `${service.basePath}${referencePaths.document}`

/**
 * The text of Scalar's script (4 MB). @scalar/api-reference has it as a file, but takes 275 MB, and
 * Scalar's plugin for Fastify 30 MB: its module has the script as a string, which this reads.
 */
export const referenceScriptText = (): string => {
  const plugin = '../../node_modules/@scalar/fastify-api-reference/dist/index.js'
  const module = readFileSync(new URL(plugin, import.meta.url), 'utf8')
  const [, string] = /^var standalone_default = (".*");$/m.exec(module) ?? []
  if (string === undefined)
    throw new Error(
      '@scalar/fastify-api-reference has its script in another form. Change how this reads it.',
    )
  // JSON has the escapes of the string, but no control characters.
  return JSON.parse(string.replaceAll(/\p{Cc}/gu, (char) => JSON.stringify(char).slice(1, -1)))
}
