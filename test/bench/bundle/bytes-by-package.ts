import { existsSync, readFileSync } from 'node:fs'
import { SourceMap } from 'node:module'
import { dirname, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

const REPOSITORY = fileURLToPath(new URL('../../..', import.meta.url))

/**
 * How many bytes of a bundled file come from which package, or from which folder of ours, as the source map beside it
 * says. What the bundler puts around a module counts with the module before it: a map says where a piece starts, not
 * where it ends.
 */
export const bytesByPackage = (file: string): Map<string, number> => {
  if (!existsSync(`${file}.map`)) return new Map([['no source map', readFileSync(file).length]])
  const bytes = new Map<string, number>()
  for (const [source, count] of bytesBySource(file)) {
    const name = source === undefined ? "esbuild's own" : packageOf(resolve(dirname(file), source))
    bytes.set(name, (bytes.get(name) ?? 0) + count)
  }
  return bytes
}

const bytesBySource = (file: string): Map<string | undefined, number> => {
  const map = new SourceMap(JSON.parse(readFileSync(`${file}.map`, 'utf8')))
  const bytes = new Map<string | undefined, number>()
  for (const [number, line] of readFileSync(file, 'utf8')
    .split(/(?<=\n)/)
    .entries()) {
    let column = 0
    for (const character of line) {
      const entry = map.findEntry(number, column)
      // Where a line starts with nothing that is mapped, it finds what an earlier line ended with.
      const source = 'originalSource' in entry && entry.generatedLine === number ? entry.originalSource : undefined
      bytes.set(source, (bytes.get(source) ?? 0) + Buffer.byteLength(character))
      column += character.length // In a map, columns are counted in UTF-16.
    }
  }
  return bytes
}

const packageOf = (source: string): string =>
  /.*\/node_modules\/((@[^/]+\/)?[^/]+)\//.exec(source)?.[1] ?? relative(REPOSITORY, dirname(source))
