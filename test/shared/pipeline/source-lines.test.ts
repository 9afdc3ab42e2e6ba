import { mkdtempSync, realpathSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildSync } from 'esbuild'
import { expect, test } from 'vitest'
import { nameSourceLines } from '../../../shared/pipeline/middleware/source-lines.ts'

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'source-lines-')))
const source = join(folder, 'source.ts')
const bundle = join(folder, 'dist/bundle.cjs.js')
writeFileSync(
  source,
  "const one: number = 1\n\nexport const fail = () => {\n  return new Error('x' + one)\n}\n",
)
buildSync({
  entryPoints: [source],
  outfile: bundle,
  format: 'cjs',
  minify: true,
  sourcemap: true,
  sourcesContent: false,
})
const { fail } = createRequire(import.meta.url)(bundle)
const brokenMap = join(folder, 'broken.js')
writeFileSync(`${brokenMap}.map`, '{')

const withStack = (stack: unknown) => Object.assign(new Error('odd'), { stack })

test('replaces positions in the bundle, in an error and its causes', () => {
  const [error, cause] = [fail(), fail()]
  error.cause = new Error('between', { cause })
  expect(error.stack).toContain('bundle.cjs.js:1:')

  nameSourceLines(error)

  for (const { stack } of [error, cause]) {
    expect(stack).toContain(`${source}:4:10`)
    expect(stack).not.toContain('bundle.cjs.js')
  }
})

test.each([
  [
    'a position without a map',
    withStack('Error: odd\n    at f (/nowhere/index.js:1:2)\n    at node:fs:1:1'),
  ],
  ['a broken map', withStack(`at f (${brokenMap}:1:2)`)],
  ['a stack that is not a string', withStack(7)],
  ['a frozen error', Object.freeze(withStack('at f (/nowhere/index.js:1:2)'))],
  // It takes milliseconds; with a quadratic search it would take more than a minute.
  ['a message of any length', new Error('/'.repeat(300_000))],
])('leaves the stack unchanged: %s', { timeout: 30_000 }, (_, error) => {
  const before = error.stack

  nameSourceLines(error)

  expect(error.stack).toBe(before)
})

test('accepts values that are not errors, and errors that are their own cause', () => {
  const circular = new Error('circular')
  circular.cause = circular

  for (const thrown of ['text', undefined, circular]) nameSourceLines(thrown)

  expect(circular.stack).toContain('circular')
})
