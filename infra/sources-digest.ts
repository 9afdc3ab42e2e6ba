import { createHash } from 'node:crypto'
import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const folder = fileURLToPath(new URL('../shared', import.meta.url))

/** A digest of the sources in `shared`. Checkouts with the same one store items alike. */
export const sourcesDigest = (): string => {
  const hash = createHash('sha256')
  for (const file of globSync('**/*.ts', { cwd: folder }).sort())
    hash.update(readFileSync(`${folder}/${file}`))
  return hash.digest('hex')
}
