import { existsSync } from 'node:fs'
import { join } from 'node:path'

/** The file of a bundle that Lambda loads. */
export const entryOf = (folder: string): string => {
  const [entry] = ['index.js', 'index.mjs', 'index.cjs'].map((name) => join(folder, name)).filter(existsSync)
  if (!entry) throw new Error(`No index.js in ${folder}.`)
  return entry
}
