import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** How many bytes of JavaScript a bundle has. Its source map does not count: it is read only for a stack trace. */
export const bundleSize = (folder: string): number =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.[cm]?js$/.test(file))
    .reduce((bytes, file) => bytes + statSync(join(folder, file)).size, 0)
