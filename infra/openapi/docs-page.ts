import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { referencePaths } from '../gateway.ts'
import { servers } from './document.ts'

/** A script from elsewhere: where it is, and the digest that its text must have. */
type Script = { address: string; integrity: string }

/** The page that shows the document, with a console to try the operations in. */
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
<noscript>This page needs JavaScript. What it shows is at <a href="${DOCUMENT}">${DOCUMENT}</a>.</noscript>
<script src="${address}" integrity="${integrity}" crossorigin="anonymous"></script>
<script>${SHOW}</script>
</body>
</html>
`

/** What the page may do: run its two scripts, and call the API that it comes from. An API key gets nowhere else. */
export const contentSecurityPolicy = (integrity: string): string =>
  [
    "default-src 'none'",
    `script-src '${integrity}' 'sha256-${digestOf('sha256', SHOW)}'`,
    "connect-src 'self'",
    "style-src 'unsafe-inline'", // The script makes its styles.
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    'img-src data:', // Last, as it ends without a quote: API Gateway wants quotes around it all, and takes them off.
  ].join('; ')

// From the root: the page is also found at `/v1/docs/`.
const DOCUMENT = `/v1${referencePaths.document}`

const OPTIONS = {
  url: DOCUMENT,
  servers: servers.slice(0, 1), // The others are out of reach of this page.
  withDefaultFonts: false,
  documentDownloadType: 'direct',
  hideClientButton: true,
  showDeveloperTools: 'never',
  agent: { disabled: true },
  mcp: { disabled: true },
}

// A number that a double would round is left out of what the page reads, as it would show another one: the limits of an
// int64, which its description has in full.
const SHOW = `
const isRounded = (value) => typeof value === 'number' && Math.abs(value) > Number.MAX_SAFE_INTEGER
const customFetch = async (...request) => {
  const response = await fetch(...request)
  if (new URL(response.url).pathname !== ${JSON.stringify(DOCUMENT)}) return response
  return Response.json(JSON.parse(await response.text(), (key, value) => (isRounded(value) ? undefined : value)))
}
Scalar.createApiReference(document.querySelector('div'), { ...${JSON.stringify(OPTIONS)}, customFetch })
`

const PACKAGE = new URL('../../node_modules/@scalar/api-reference/', import.meta.url)
const FILE = 'dist/browser/standalone.js'

/** The script of the page: its text, the digest of that, and the address on a CDN where the same is. */
export type ReferenceScript = { text: string; integrity: string; version: string; publicAddress: string }

/** The script of the page, as it is installed. */
export const referenceScript = (): ReferenceScript => {
  script ??= readScript()
  return script
}

// Read once: it has 4 MB, and each stack asks for its digest (26 ms).
let script: ReferenceScript | undefined

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

/** A digest as browsers compare it (Subresource Integrity, Content Security Policy). */
export const digestOf = (algorithm: 'sha256' | 'sha384', text: string): string =>
  createHash(algorithm).update(text).digest('base64')
