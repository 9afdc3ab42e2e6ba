// Loaded first by each npm script: they need packages and a Node.js that runs TypeScript.
import { existsSync } from 'node:fs'

const isInstalled = (name) => existsSync(new URL(`../../node_modules/${name}`, import.meta.url))

/** What is missing, and what to do; `undefined` if nothing is. */
const problem = () => {
  // npm writes this file at the end of an installation.
  if (!isInstalled('.package-lock.json')) return 'The packages are missing: run npm ci.'
  if (!isInstalled('vitest'))
    return 'The packages for development are missing: run npm ci --include=dev.'
  if (Number.parseInt(process.version.slice(1), 10) < 24)
    return (
      `Node.js ${process.version} is too old: run npm ci with install scripts allowed, which adds ` +
      'Node.js 24, or use Node.js 24.'
    )
  return undefined
}

const found = problem()
if (found) {
  console.error(found)
  process.exit(1)
}
