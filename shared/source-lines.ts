import { existsSync, readFileSync } from 'node:fs'
import { SourceMap } from 'node:module'
import { dirname, join } from 'node:path'

// Only what begins a word: to try each slash of a long message would take the square of its length.
const PLACE = /(?<=[\s(])(\/[^\s()]+\.js):(\d+):(\d+)/g
const DEEPEST_CAUSE = 10

/**
 * Has the stack of an error, and of what caused it, name lines of the sources, for whoever reads it in a log. Node.js would
 * do so with `--enable-source-maps`, but reads the map at every start: 3 of the 17 ms in which getPet was imported.
 */
export const nameSourceLines = (error: unknown): void => {
  try {
    rename(error, 0)
  } catch {
    // An error that cannot be changed, or a map that cannot be read: no reason for a caller to get no answer.
  }
}

const rename = (error: unknown, depth: number): void => {
  if (!(error instanceof Error) || depth > DEEPEST_CAUSE) return
  error.stack = error.stack?.replace(PLACE, sourceOf)
  rename(error.cause, depth + 1)
}

/** A place in the sources for one in a bundle that has its map beside it; any other stays as it is. */
const sourceOf = (place: string, file: string, line: string, column: string): string => {
  const entry = mapOf(file)?.findEntry(Number(line) - 1, Number(column) - 1)
  if (!entry || !('originalSource' in entry)) return place
  return `${join(dirname(file), entry.originalSource)}:${entry.originalLine + 1}:${entry.originalColumn + 1}`
}

const maps = new Map<string, SourceMap | undefined>()

const mapOf = (file: string): SourceMap | undefined => {
  if (!maps.has(file)) maps.set(file, readMap(`${file}.map`))
  return maps.get(file)
}

const readMap = (file: string): SourceMap | undefined =>
  existsSync(file) ? new SourceMap(JSON.parse(readFileSync(file, 'utf8'))) : undefined
