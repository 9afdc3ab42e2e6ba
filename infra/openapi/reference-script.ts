import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'

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
