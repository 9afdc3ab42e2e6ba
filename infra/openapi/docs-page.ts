import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { referencePaths } from '../gateway.ts'
import { servers } from './document.ts'

/** The URL of a script, and the digest that its text must have (Subresource Integrity). */
type Script = { address: string; integrity: string }

/** The HTML page that shows the OpenAPI document, with a console for trying the operations. */
export const docsPage = ({ address, integrity }: Script): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Pet Store</title>
<link rel="icon" href="data:,">
</head>
<body>
<div></div>
<noscript>This page needs JavaScript. It shows the document <a href="${DOCUMENT}">${DOCUMENT}</a>.</noscript>
<script src="${address}" integrity="${integrity}" crossorigin="anonymous"></script>
<script>${INLINE_SCRIPT}</script>
</body>
</html>
`

/**
 * The Content-Security-Policy of the page. The page can run only its two scripts and connect only to its own API, so no
 * other server can receive an API key.
 */
export const contentSecurityPolicy = (integrity: string): string =>
  [
    "default-src 'none'",
    `script-src '${integrity}' 'sha256-${digestOf('sha256', INLINE_SCRIPT)}'`,
    "connect-src 'self'",
    "style-src 'unsafe-inline'", // The script creates style elements.
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    // Must be last: API Gateway strips the quotes around the whole value, and would strip one at the end of it, too.
    'img-src data:',
  ].join('; ')

// Absolute, because the page is also served at `/v1/docs/`.
const DOCUMENT = `/v1${referencePaths.document}`

const OPTIONS = {
  url: DOCUMENT,
  servers: servers.slice(0, 1), // The Content-Security-Policy blocks requests to the others.
  withDefaultFonts: false,
  documentDownloadType: 'direct',
  hideClientButton: true,
  showDeveloperTools: 'never',
  agent: { disabled: true },
  mcp: { disabled: true },
}

// `JSON.parse` rounds the limits of an int64, and the page would show wrong numbers. The script removes them from the
// document; the descriptions of the fields state them exactly.
const INLINE_SCRIPT = `
const isRounded = (value) => typeof value === 'number' && Math.abs(value) > Number.MAX_SAFE_INTEGER
const customFetch = async (...request) => {
  const response = await fetch(...request)
  if (new URL(response.url).pathname !== ${JSON.stringify(DOCUMENT)}) return response
  return Response.json(JSON.parse(await response.text(), (key, value) => (isRounded(value) ? undefined : value)))
}
Scalar.createApiReference(document.querySelector('div'), { ...${JSON.stringify(OPTIONS)}, customFetch })
`

/** The script that renders the page: its text, its digest, and the URL of the same file on a CDN. */
type ReferenceScript = { text: string; integrity: string; version: string; publicAddress: string }

/** The script that renders the page, as installed. It is read once: the file has 4 MB, and each stack needs its digest. */
export const referenceScript = (): ReferenceScript => {
  script ??= readScript()
  return script
}

let script: ReferenceScript | undefined

const PACKAGE = new URL('../../node_modules/@scalar/api-reference/', import.meta.url)
const FILE = 'dist/browser/standalone.js'

const readScript = (): ReferenceScript => {
  const { version } = JSON.parse(readFileSync(new URL('package.json', PACKAGE), 'utf8'))
  const text = readFileSync(new URL(FILE, PACKAGE), 'utf8')
  return {
    text,
    integrity: `sha384-${digestOf('sha384', text)}`,
    version,
    publicAddress: `https://cdn.jsdelivr.net/npm/@scalar/api-reference@${version}/${FILE}`,
  }
}

/** A digest in the format of Subresource Integrity and Content-Security-Policy. */
const digestOf = (algorithm: 'sha256' | 'sha384', text: string): string =>
  createHash(algorithm).update(text).digest('base64')
