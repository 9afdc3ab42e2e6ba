import { webcrypto } from 'node:crypto'
import { globSync, readFileSync } from 'node:fs'
import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { runInNewContext } from 'node:vm'
import { buildSync } from 'esbuild'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type LocalServer, startServer } from '../../support/server.ts'
import { type Installed, install } from './installed.ts'

let installed: Installed
let server: LocalServer
beforeAll(async () => {
  ;[installed, server] = await Promise.all([install(), startServer()])
})
afterAll(() => server.stop())

const write = (name: string, text: string) => writeFile(join(installed.folder, name), text)

/** The lines of the README, with the address of the local server of this test. */
const readmeLines = (): string => {
  const [, lines = ''] = /^```ts\n(import .* from 'pet-store'.*?)^```$/ms.exec(readFileSync('README.md', 'utf8')) ?? []
  return lines.replace('http://127.0.0.1:3000/v1', server.baseUrl)
}

// One line for each animal that earlier runs of it have added, too.
const README_OUTPUT = /^(Rex 9223372036854775807n\n)+400 bad_request name must be a string of 1 .* Unicode\. \S+\n$/

test('the package holds the client alone, and brings no other', async () => {
  const { folder } = installed

  expect(await readdir(join(folder, 'node_modules'))).toEqual(['.package-lock.json', 'pet-store'])
  expect(globSync('**/*.*', { cwd: join(folder, 'node_modules/pet-store') }).sort()).toEqual([
    'README.md',
    'package.json',
    'shared/client/dist/client.d.ts',
    'shared/client/dist/client.js',
    'shared/client/dist/interface.d.ts',
    'shared/client/dist/pet-store-error.d.ts',
    'shared/client/dist/send.d.ts',
  ])
})

test.each([
  ['that the functions are for', process.execPath],
  ['that npm runs with', process.env.npm_node_execpath ?? process.execPath],
])('the lines of the README run in the Node.js %s', async (_, node) => {
  await write('readme.mjs', readmeLines())

  expect(await installed.run(node, ['readme.mjs'])).toMatch(README_OUTPUT)
})

test('a program runs where there is nothing but what browsers have', async () => {
  const entryPoints = [join(installed.folder, 'node_modules/pet-store/shared/client/dist/client.js')]
  const bundle = buildSync({ entryPoints, bundle: true, platform: 'browser', globalName: 'petStore', write: false })
  const browser = { AbortController, DOMException, Headers, URL, URLSearchParams, clearTimeout, fetch, setTimeout }
  const crypto = { getRandomValues: <T extends Uint8Array>(values: T) => webcrypto.getRandomValues(values) }
  const program = `
    ${bundle.outputFiles[0]?.text}
    const { pets } = petStore.createClient(options)
    pets.create({ name: 'Tom', categoryId: 9007199254740993n, status: 'sold' }).then(async (tom) => {
      for await (const pet of pets.list({ status: 'sold' })) if (pet.id === tom.id) return pet
    })`

  const found = await runInNewContext(program, { ...browser, crypto, options: server })

  expect(found).toMatchObject({ name: 'Tom', categoryId: 9007199254740993n })
})

test.each([['nodenext'], ['bundler']])('the types are whole and exact, for moduleResolution %s', async (resolution) => {
  const calls = readFileSync('test/shared/client/typed-calls.ts', 'utf8')
  await write('typed-calls.ts', calls.replace('../../../shared/client/client.ts', 'pet-store'))
  await write('readme.mts', readmeLines())
  const module = resolution === 'nodenext' ? 'nodenext' : 'esnext'
  const options = ['--strict', '--noEmit', '--module', module, '--moduleResolution', resolution, '--target', 'es2022']

  await installed.run('tsc', [...options, '--exactOptionalPropertyTypes', 'typed-calls.ts', 'readme.mts'])
})
