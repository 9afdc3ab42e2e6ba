import { existsSync, readFileSync } from 'node:fs'
import { SourceMap } from 'node:module'
import { dirname, join } from 'node:path'

// Without the lookbehind, a long message full of slashes takes quadratic time.
const POSITION = /(?<=[\s(])(\/[^\s()]+\.js):(\d+):(\d+)/g
const DEEPEST_CAUSE = 10

/**
 * Changes the stacks of an error and of its causes: positions in a bundle become positions in the
 * sources. Node.js does the same with `--enable-source-maps`, but reads the map at every start.
 */
export const nameSourceLines = (error: unknown): void => {
  try {
    rename(error, 0)
  } catch {
    // The error is frozen or the map is broken. The caller still gets a response.
  }
}

const rename = (error: unknown, depth: number): void => {
  if (!(error instanceof Error) || depth > DEEPEST_CAUSE) return
  error.stack = error.stack?.replace(POSITION, sourcePosition)
  rename(error.cause, depth + 1)
}

/**
 * The position in the sources, or `position` itself for a file that has no source map beside it.
 */
const sourcePosition = (position: string, file: string, line: string, column: string): string => {
  const origin = sourceMap(file)?.findOrigin(Number(line), Number(column))
  if (!origin || !('fileName' in origin)) return position
  return `${join(dirname(file), origin.fileName)}:${origin.lineNumber}:${origin.columnNumber}`
}

const maps = new Map<string, SourceMap | undefined>()

const sourceMap = (file: string): SourceMap | undefined => {
  const map = `${file}.map`
  if (!maps.has(file))
    maps.set(
      file,
      existsSync(map) ? new SourceMap(JSON.parse(readFileSync(map, 'utf8'))) : undefined,
    )
  return maps.get(file)
}
