// Loaded first by each npm script: they need packages and a Node.js that runs TypeScript.
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'

/** The folder in which Node.js finds a package; among npm's workspaces, it is not ours. */
const folderOf = (name) =>
  createRequire(import.meta.url)
    .resolve.paths(name)
    .find((folder) => existsSync(join(folder, name)))

/** What is missing, and what to do; `undefined` if nothing is. */
const problem = () => {
  const folder = folderOf('valibot')
  // npm writes this file at the end of an installation.
  if (!folder || !existsSync(join(folder, '.package-lock.json')))
    return 'The packages are missing. Use npm, not pnpm or yarn: run npm ci.'
  if (!folderOf('vitest'))
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
