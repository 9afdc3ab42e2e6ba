// Loaded first by each npm script: they need packages and a Node.js that runs TypeScript.
import { existsSync } from 'node:fs'

const { version } = process
// npm writes this file at the end of an installation.
const isInstalled = existsSync(new URL('../../node_modules/.package-lock.json', import.meta.url))

if (!isInstalled || Number.parseInt(version.slice(1), 10) < 24) {
  console.error(
    isInstalled
      ? `Node.js ${version} is too old: run npm ci with install scripts allowed, which adds ` +
          'Node.js 24, or use Node.js 24.'
      : 'The packages are missing. Use npm, not pnpm or yarn: run npm ci.',
  )
  process.exit(1)
}
