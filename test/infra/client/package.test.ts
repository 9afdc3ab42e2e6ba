import { globSync, readFileSync } from 'node:fs'
import { cp, mkdtemp, readdir, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import * as v from 'valibot'
import { afterAll, expect, test } from 'vitest'
import { operationType } from '../../../infra/client/build.ts'
import { contract } from '../../../shared/contract.ts'
import { Int64 } from '../../../shared/model/int64.ts'
import { Decimal } from '../../../shared/model/number.ts'
import { Limit } from '../../../shared/model/paging.ts'
import { Text, TextList } from '../../../shared/model/text.ts'
import { example, has } from '../../support/example.ts'
import { withLocalKey } from '../../support/secrets.ts'
import { startServer } from '../../support/server.ts'
import { install } from './installed.ts'

const [{ folder, run }, server] = await Promise.all([install(), startServer()])
afterAll(() => server.stop())

const { name } = JSON.parse(readFileSync('infra/client/package.json', 'utf8'))
const write = (name: string, text: string) => writeFile(join(folder, name), text)

/** The examples of the README as one program, with the address of this test's server. */
const readmeProgram = (): string => {
  const examples = withLocalKey(readFileSync('infra/client/README.md', 'utf8')).matchAll(
    /^```ts\n(.*?)^```$/gms,
  )
  const program = [...examples].map(([, lines]) => lines).join('\n')
  return program.replace(/http:\/\/127\.0\.0\.1:3000\/[\w-]+/, server.baseUrl)
}

test('the package contains only the client, and installs no other package', async () => {
  const installed = join(folder, 'node_modules', name)

  expect(await readdir(join(folder, 'node_modules'))).toEqual(['.package-lock.json', name])
  const files = globSync('**/*.*', { cwd: installed, exclude: ['dist/*.d.ts'] })
  expect(files.sort()).toEqual(['README.md', 'dist/client.js', 'package.json'])
  // In comments, esbuild names the files that it has bundled.
  expect(readFileSync(join(installed, 'dist/client.js'), 'utf8')).not.toMatch(/^\/\/ \.\./m)
})

test('the examples of the README run in the Node.js of npm, which may be an older one', async () => {
  const node = process.env.npm_node_execpath ?? process.execPath
  await write('readme.mjs', readmeProgram())

  expect((await run(node, ['readme.mjs'])).split('\n')).toEqual([
    expect.stringMatching(/^\S+$/),
    expect.stringMatching(/^[\w-]{15}=$/),
    expect.stringMatching(/^\d+ \S+$/),
    expect.stringMatching(/^400 bad_request \S.*\. \S+$/),
    'true',
    ...(has.integer ? [expect.stringMatching(/^\S+ \{.*:9223372036854775807\b.*\}$/)] : []),
    '',
  ])
})

/** Compiles a file as strictly as possible. What `nodenext` accepts, bundlers accept too. */
const compile = (file: string, options: string) =>
  run('tsc', `${file} --strict --noEmit --module nodenext ${options}`.split(' '))

test('the types of the package compile with the oldest target and the strictest options', async () => {
  await write('readme.mts', `${readmeProgram()}\nclient.${example.list}({ limit: undefined })`)

  await compile('readme.mts', '--target es2020 --exactOptionalPropertyTypes')
})

// Those of the package are made of JSON Schemas, those of the sources of the schemas themselves.
test('the types of inputs and results are those of the contract', async () => {
  await write(
    'types.ts',
    `import type { Operations } from '${name}'
    import type { Operations as Expected } from '${resolve('infra/client/operations.ts')}'

    type Plain<T> = T extends object ? { -readonly [Name in keyof T]: Plain<T[Name]> } : T
    type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
    type Difference<Id extends keyof Expected> =
      Same<Plain<Operations[Id]>, Plain<Expected[Id]>> extends true ? never : Id
    declare const different: { [Id in keyof Expected]: Difference<Id> }[keyof Expected]
    export const none: never = different`,
  )
  const types = `--skipLibCheck --types node --typeRoots ${resolve('node_modules/@types')}`

  await compile('types.ts', `--target es2024 --allowImportingTsExtensions ${types}`)
})

test('CommonJS programs can require the package', async () => {
  await write('program.cjs', `console.log(typeof require('${name}').createClient)`)

  expect(await run(process.execPath, ['program.cjs'])).toBe('function\n')
})

const typeOf = (query: v.ObjectEntries, notes: object = {}) =>
  operationType('findCats', { ...contract[example.list], ...notes, query: v.object(query) })

test('editors show that an operation is experimental, when it will be removed, and what a parameter is by default', () => {
  const deprecated = { sunset: new Date('2030-12-05') }

  const text = typeOf(
    { size: v.optional(Limit, '20') },
    { summary: 'Find cats', stability: 'experimental', deprecated },
  )

  expect(text).toContain(
    '/** Find cats.\n@experimental\n@deprecated Removed on 2030-12-05. */\nfindCats: {',
  )
  expect(text).toContain('/** An integer from 1 to 100. Default: 20. */\n"size"?')
})

test.each<[string, v.GenericSchema]>([
  ['string', Text(80)],
  ['Int64', Int64],
  ['number', Limit],
  ['number', Decimal()],
  ['boolean', v.boolean()],
  ['"red" | "blue"', v.picklist(['red', 'blue'])],
  ['7', v.literal(7)],
  ['Array<string>', TextList(3, 5)],
])('the type of a value is %s', (type, size) => {
  expect(typeOf({ size })).toContain(`"size": ${type}`)
})

test('a rule may hold the end of a comment', () => {
  const size = v.pipe(v.string(), v.description('text without */'))

  expect(typeOf({ size })).toContain('/** Text without *\\/. */\n"size":')
})

test('before npm ci, npm pack says what is missing', async () => {
  const copy = await mkdtemp(join(tmpdir(), 'client-'))
  await cp('infra', join(copy, 'infra'), {
    recursive: true,
    filter: (name) => !name.endsWith('/dist'),
  })

  const output = await run('npm', ['pack'], join(copy, 'infra/client')).catch(
    ({ message }) => message,
  )

  expect(output).toContain('\nThe packages are missing. Use npm, not pnpm or yarn: run npm ci.\n')
  expect(output).not.toMatch(/^ +at /m)
})
