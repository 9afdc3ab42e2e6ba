import { globSync, readFileSync } from 'node:fs'
import { join, normalize } from 'node:path'

/** The source files of the repository, by their paths. */
export const sources = globSync('{functions,shared,infra}/**/*.ts')

// `import … from 'x'`, also over several lines, `export … from 'x'`, `import 'x'` and
// `import(`x`)`.
const IMPORT = /^(?:(?:import|export|\}) .*?from |import )'([^']+)'|\bimport\([`']([^`']+)/gm

/** What a file imports: paths from the top of the repository for our files, names for packages. */
export const importsOf = (file: string): string[] =>
  [...readFileSync(file, 'utf8').matchAll(IMPORT)]
    .map(([, fixed, dynamic]) => fixed ?? dynamic ?? '')
    .map((name) => (name.startsWith('.') ? normalize(join(file, '..', name)) : name))

/** All imports of the files that match `pattern`, as `file > import`. */
export const importsBelow = (pattern: RegExp): string[] =>
  sources
    .filter((file) => pattern.test(file))
    .flatMap((file) => importsOf(file).map((name) => `${file} > ${name}`))
