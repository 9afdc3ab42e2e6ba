import { webcrypto } from 'node:crypto'
import { globSync, readFileSync } from 'node:fs'
import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { runInNewContext } from 'node:vm'
import { buildSync } from 'esbuild'
import { afterAll, expect, test } from 'vitest'
import { typeText } from '../../../infra/client/build.ts'
import { contract } from '../../../shared/contract.ts'
import { startServer } from '../../support/server.ts'
import { install } from './installed.ts'

const [installed, server] = await Promise.all([install(), startServer()])
afterAll(() => server.stop())

const write = (name: string, text: string) => writeFile(join(installed.folder, name), text)

/** The examples of the README as one program, with the address of this test's server. */
const readmeProgram = (): string => {
  const examples = readFileSync('shared/client/README.md', 'utf8').matchAll(/^```ts\n(.*?)^```$/gms)
  const program = [...examples].map(([, lines]) => lines).join('\n')
  return program.replace('http://127.0.0.1:3000/v1', server.baseUrl)
}

test('the package contains only the client, and installs no other package', async () => {
  const { folder } = installed

  expect(await readdir(join(folder, 'node_modules'))).toEqual(['.package-lock.json', 'pet-store'])
  expect(globSync('**/*.*', { cwd: join(folder, 'node_modules/pet-store') }).sort()).toEqual([
    'README.md',
    'dist/client.d.ts',
    'dist/client.js',
    'dist/interface.d.ts',
    'dist/pet-store-error.d.ts',
    'package.json',
  ])
  expect(readFileSync(join(folder, 'node_modules/pet-store/README.md'), 'utf8')).toMatch(/^# Pet Store client\n/)
  // TypeScript before 5.0 cannot import files that end in .ts.
  expect(readFileSync(join(folder, 'node_modules/pet-store/dist/client.d.ts'), 'utf8')).not.toMatch(/\.ts'/)
})

test('the examples of the README run in the Node.js of npm, which may be an older one', async () => {
  const node = process.env.npm_node_execpath ?? process.execPath
  await write('readme.mjs', readmeProgram())

  expect((await installed.run(node, ['readme.mjs'])).split('\n')).toEqual([
    'Rex',
    'true',
    expect.stringMatching(/^400 bad_request name must be a string of 1 .* Unicode\. \S+$/),
    'true',
    '9223372036854775807n',
    '',
  ])
})

test('the package runs where only what browsers have exists', async () => {
  const entryPoints = [join(installed.folder, 'node_modules/pet-store/dist/client.js')]
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

test('the types of the package are complete and exact', async () => {
  const calls = readFileSync('test/shared/client/typed-calls.ts', 'utf8')
  await write('typed-calls.ts', calls.replace('../../../shared/client/client.ts', 'pet-store'))
  await write('readme.mts', readmeProgram())
  // The strictest way to find modules: what it accepts, bundlers accept too.
  const options = ['--strict', '--noEmit', '--module', 'nodenext', '--target', 'es2022', '--exactOptionalPropertyTypes']

  await installed.run('tsc', [...options, 'typed-calls.ts', 'readme.mts'])
})

// The types above show the rest.
test.each([
  [{ type: 'number' }, 'number'],
  [{ type: 'boolean', description: 'Not shown.' }, 'boolean'],
  [{ type: 'array', items: { enum: ['a', 1] } }, 'Array<"a" | 1>'],
  [
    { type: 'object', properties: { a: { type: 'integer', description: 'A.' } } },
    '{\n/** A. */\n"a"?: number | undefined;\n}',
  ],
])('the schema %j has the type %s', (schema, text) => {
  expect(typeText(schema)).toBe(text)
})

test('the build refuses a schema without a TypeScript type', () => {
  expect(() => typeText({ anyOf: [] })).toThrow('Add to infra/client/build.ts the TypeScript type of {"anyOf":[]}')
})

test.each(['client.ts', 'README.md'])('%s names the day on which the service removes an operation', (file) => {
  const { sunset } = contract.getPet.deprecated
  const day = sunset.toLocaleDateString('en-GB', { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' })

  expect(readFileSync(`shared/client/${file}`, 'utf8')).toMatch(new RegExp(`remove[sd] [a-z ]*on ${day}`))
})
