import { mkdirSync, mkdtempSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { buildSync } from 'esbuild'
import { expect, test } from 'vitest'
import { bytesByPackage } from './bytes-by-package.ts'
import { explain } from './explain-bundles.ts'

/** Bundles a module of ours with one of a package, which has another one in it. */
const bundled = (outfile: string): string => {
  const folder = mkdtempSync(join(tmpdir(), 'pet-store-explained-'))
  const put = (name: string, text: string) => {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
  put('ours.js', 'import { said } from "@some/words"; export const say = () => console.log(`Größe:\ndog`, said)')
  put('node_modules/@some/words/index.js', 'import { dog } from "inner"; export const said = [dog, "cat"]')
  put('node_modules/@some/words/node_modules/inner/index.js', 'export const dog = console.warn("🐕") ?? 8')
  buildSync({
    entryPoints: [join(folder, 'ours.js')],
    outfile: join(folder, 'bundle', outfile),
    bundle: true,
    minify: true,
    format: 'esm',
    charset: 'utf8',
    sourcemap: true,
  })
  return join(folder, 'bundle')
}

test('a bundle is explained to the byte, by packages and by folders of ours', () => {
  const folder = bundled('index.js')

  const bytes = bytesByPackage(join(folder, 'index.js'))

  const ours = relative('', dirname(folder))
  const expected = {
    inner: 'var o=console.warn("🐕")??8;',
    '@some/words': 'var r=[o,"cat"];',
    [ours]: 'var n=()=>console.log(`Größe:\ndog`,r);export{n as say};\n',
    "esbuild's own": '//# sourceMappingURL=index.js.map\n',
  }
  expect(readFileSync(join(folder, 'index.js'), 'utf8')).toBe(Object.values(expected).join(''))
  const lengths = Object.entries(expected).map(([name, text]) => [name, Buffer.byteLength(text)])
  expect(Object.fromEntries(bytes)).toEqual(Object.fromEntries(lengths))
})

test('a file without a source map is there as well', () => {
  const file = join(bundled('index.js'), 'index.cjs')
  writeFileSync(file, '"Größe"')

  expect(bytesByPackage(file)).toEqual(new Map([['no source map', 9]]))
})

test('every JavaScript file has a table, with the functions that have it', () => {
  const one = bundled('index.js')
  const two = bundled('index.mjs')
  writeFileSync(join(two, 'index.js'), '7')

  const text = explain([
    { name: 'one', folder: one },
    { name: 'two', folder: two },
  ])

  const size = (folder: string, file: string) => statSync(join(folder, file)).size.toLocaleString('en')
  const firstAndLast = text.match(/^(\S+, bytes|all of it) .*/gm)?.map((line) => line.split(/ {2,}/))
  expect(firstAndLast).toEqual([
    ['index.js, bytes', 'one', 'two'],
    ['all of it', size(one, 'index.js'), '1'],
    ['index.mjs, bytes', 'two'],
    ['all of it', size(two, 'index.mjs')],
  ])
})
