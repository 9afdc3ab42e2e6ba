import { mkdtempSync, realpathSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildSync } from 'esbuild'
import { beforeAll, expect, test } from 'vitest'
import { nameSourceLines } from '../../shared/source-lines.ts'

const require = createRequire(import.meta.url)
let folder: string
let fail: () => Error

beforeAll(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'source-lines-')))
  const source = join(folder, 'source.ts')
  writeFileSync(source, "const one: number = 1\n\nexport const fail = () => {\n  return new Error('x' + one)\n}\n")
  buildSync({
    entryPoints: [source],
    outfile: join(folder, 'dist/bundle.cjs.js'),
    format: 'cjs',
    minify: true,
    sourcemap: true,
    sourcesContent: false,
  })
  fail = require(join(folder, 'dist/bundle.cjs.js')).fail
})

test('names the line of the source in the place of that of the bundle', () => {
  const error = fail()
  expect(error.stack).toContain('bundle.cjs.js:1:')

  nameSourceLines(error)

  expect(error.stack).toContain(`${folder}/source.ts:4:10`)
  expect(error.stack).not.toContain('bundle.cjs.js')
})

test('does so for what caused the error', () => {
  const cause = fail()

  nameSourceLines(new Error('above', { cause: new Error('between', { cause }) }))

  expect(cause.stack).toContain(`${folder}/source.ts:4:10`)
})

test('leaves places as they are that no map knows', () => {
  const stack = 'Error: no map\n    at f (/nowhere/index.js:1:2)\n    at node:fs:1:1'
  const error = Object.assign(new Error('no map'), { stack })

  nameSourceLines(error)

  expect(error.stack).toBe(stack)
})

// A few milliseconds; a minute and more if it took the square of the length.
test('is done at once with a message of any length', { timeout: 30_000 }, () => {
  const error = new Error('/'.repeat(300_000))
  const before = error.stack

  nameSourceLines(error)

  expect(error.stack).toBe(before)
})

test.each([
  ['has no text for a stack', Object.assign(new Error('odd'), { stack: 7 })],
  ['cannot be changed', Object.freeze(Object.assign(new Error('fixed'), { stack: 'at (/nowhere/index.js:1:2)' }))],
])('leaves an error alone that %s', (_, error) => {
  const before = error.stack

  nameSourceLines(error)

  expect(error.stack).toBe(before)
})

test('leaves an error alone whose map is broken', () => {
  const file = join(folder, 'broken.js')
  writeFileSync(`${file}.map`, '{')
  const error = Object.assign(new Error('odd'), { stack: `at f (${file}:1:2)` })

  nameSourceLines(error)

  expect(error.stack).toBe(`at f (${file}:1:2)`)
})

test('takes what is no error, has no stack, or is its own cause', () => {
  const circular = new Error('circular')
  circular.cause = circular
  const bare = Object.assign(new Error('bare'), { stack: undefined })

  nameSourceLines('text')
  nameSourceLines(undefined)
  nameSourceLines(bare)
  nameSourceLines(circular)

  expect(bare.stack).toBeUndefined()
  expect(circular.stack).toContain('circular')
})
