import { createHash } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { buildSync } from 'esbuild'

const collections = fileURLToPath(new URL('../../shared/collections.ts', import.meta.url))

/**
 * A digest of the code that decides how items are stored: the collections with all that they use,
 * without comments and names of variables. Checkouts with the same one store items alike.
 */
export const collectionsDigest = (entry = collections): string => {
  const { outputFiles } = buildSync({
    entryPoints: [entry],
    bundle: true,
    minify: true,
    legalComments: 'none',
    write: false,
    format: 'esm',
    platform: 'node',
    packages: 'external',
  })
  return createHash('sha256').update(`${outputFiles[0]?.text}`).digest('hex')
}
