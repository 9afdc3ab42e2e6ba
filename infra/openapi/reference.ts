import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { runInNewContext } from 'node:vm'
import { stringifyJson } from '../../shared/model/json.ts'
import { reference, service } from '../../shared/service.ts'
import { referenceHeaders, referencePaths } from '../platform/gateway.ts'
import { openApiDocument, servers } from './document.ts'

type PublicDocuments = Record<string, { headers: Record<string, string>; body: string }>

/** What everyone may get from API Gateway, by path. */
export const publicDocuments = (): PublicDocuments => ({
  [referencePaths.document]: {
    headers: referenceHeaders,
    body: inertJson(stringifyJson(openApiDocument())),
  },
  [referencePaths.page]: referencePage(),
})

/** The page of the OpenAPI document, with the address of its script and a public API key. */
export const referencePage = (script = referenceScript.publicAddress, apiKey?: string) => {
  const start = startScript(apiKey)
  const headers = {
    ...referenceHeaders,
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Security-Policy': contentSecurityPolicy(start),
  }
  return { headers, body: docsPage(script, start) }
}

/**
 * Escapes JSON without changing its value: to a mock integration, it is a Velocity template, in
 * which `$` and `#` start expressions and two backslashes can become one.
 */
const inertJson = (json: string): string =>
  json.replaceAll(
    /\\\\|[$#]|[^ -~\n]/g,
    (part) => `\\u${part.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )

/** The HTML page that shows the OpenAPI document, with a console for trying the operations. */
const docsPage = (script: string, start: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${service.title}</title>
<link rel="icon" href="${ICON}">
</head>
<body>
<div></div>
<noscript>
This page needs JavaScript. It shows the document <a href="${DOCUMENT}">${DOCUMENT}</a>.
</noscript>
<script src="${script}" integrity="${referenceScript.integrity}" crossorigin="anonymous"></script>
<script>${start}</script>
</body>
</html>
`

/** Lets the page run its two scripts, and call only its own API: no other host gets a key. */
const contentSecurityPolicy = (start: string): string =>
  [
    "default-src 'none'",
    `script-src '${referenceScript.integrity}' 'sha256-${hash('sha256', start, 'base64')}'`,
    "connect-src 'self'",
    "style-src 'unsafe-inline'", // The script creates style elements.
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    // Last: API Gateway strips the quotes around the whole value, and would strip one at its end.
    'img-src data:',
  ].join('; ')

// Absolute, because the page is also served at `/v1/docs/`.
const DOCUMENT = `${service.basePath}${referencePaths.document}`

// Percent-encoded, because API Gateway would treat a `#` as the start of an expression.
const ICON =
  'data:image/svg+xml,%3Csvg xmlns=%22http://www.w3.org/2000/svg%22 viewBox=%220 0 16 16%22%3E' +
  `%3Ctext y=%2214%22 font-size=%2214%22%3E${encodeURIComponent(reference.icon)}%3C/text%3E` +
  '%3C/svg%3E'

const optionsWith = (token?: string) => ({
  url: DOCUMENT,
  servers: servers().slice(0, 1), // The Content-Security-Policy blocks requests to the others.
  withDefaultFonts: false,
  orderSchemaPropertiesBy: 'preserve',
  orderRequiredPropertiesFirst: false,
  documentDownloadType: 'direct',
  hideClientButton: true,
  showDeveloperTools: 'never',
  agent: { disabled: true },
  mcp: { disabled: true },
  authentication: { preferredSecurityScheme: 'apiKey', securitySchemes: { apiKey: { token } } },
  // Scalar's colors have too little contrast (WCAG 2.2, 1.4.3). A `#` would need an escape.
  customCss: `
.light-mode {
  --scalar-color-2: dimgray; --scalar-color-3: dimgray; --scalar-color-blue: mediumblue;
  --scalar-color-green: darkgreen; --scalar-color-orange: brown; --scalar-color-red: firebrick;
  --scalar-color-yellow: saddlebrown }
.dark-mode { --scalar-color-3: darkgray; --scalar-color-red: salmon }
[class*=copy-label] .sr-only > .hidden { display: inline }
.section-column:empty { display: none }
.scalar-app .markdown pre code, .scalar-app .markdown pre code span { white-space: pre-wrap }
@media (width < 800px) { .scalar-sidebar-toggle[aria-pressed=false] { top: 56px } }`,
})

// The page gets the document without what it would show wrongly or as a puzzle: the limits of an
// int64, which `JSON.parse` rounds, and `not`. Descriptions state both. Its console does not send
// optional parameters unless they are selected: otherwise, a list would lack items.
const startScript = (apiKey?: string): string => `
const shown = (key, value) => {
  const isRounded = typeof value === 'number' && Math.abs(value) > Number.MAX_SAFE_INTEGER
  if (isRounded || key === 'not') return undefined
  if (value?.required !== false) return value
  const { example = value.schema.default } = value
  return { ...value, examples: { default: { value: example, 'x-disabled': true } } }
}
const customFetch = async (...request) => {
  const response = await fetch(...request)
  if (new URL(response.url).pathname !== ${JSON.stringify(DOCUMENT)}) return response
  return Response.json(JSON.parse(await response.text(), shown))
}
const options = ${JSON.stringify(optionsWith(apiKey))}
Scalar.createApiReference(document.querySelector('div'), { ...options, customFetch })
`

/** The script that renders the page: its digest, and its URL on a CDN. */
const referenceScript = {
  integrity: 'sha384-U11tb2XnKvmwt8RlTvnwUnYgrN+ur4Xyh9htLhjajWNR/Oyl5AX5DEz00qRmlrmK',
  publicAddress:
    'https://cdn.jsdelivr.net/npm/@scalar/api-reference@1.72.1/dist/browser/standalone.js',
}

/**
 * The text of the script (4 MB), from Scalar's plugin for Fastify (30 MB of packages):
 * @scalar/api-reference, which has it as a file, takes 275 MB.
 */
export const referenceScriptText = (): string => {
  const plugin = new URL(
    '../../node_modules/@scalar/fastify-api-reference/dist/index.js',
    import.meta.url,
  )
  const [, literal = ''] =
    /^var standalone_default = (".*");$/m.exec(readFileSync(plugin, 'utf8')) ?? []
  return runInNewContext(literal)
}
