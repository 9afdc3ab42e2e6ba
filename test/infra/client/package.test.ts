import { globSync, readFileSync } from 'node:fs'
import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as v from 'valibot'
import { afterAll, expect, test } from 'vitest'
import { operationText } from '../../../infra/client/build.ts'
import { contract } from '../../../shared/contract.ts'
import { Limit } from '../../../shared/model/paging.ts'
import { startServer } from '../../support/server.ts'
import { install } from './installed.ts'

const [installed, server] = await Promise.all([install(), startServer()])
afterAll(() => server.stop())

const write = (name: string, text: string) => writeFile(join(installed.folder, name), text)

/** The examples of the README as one program, with the address of this test's server. */
const readmeProgram = (): string => {
  const examples = readFileSync('infra/client/README.md', 'utf8').matchAll(/^```ts\n(.*?)^```$/gms)
  const program = [...examples].map(([, lines]) => lines).join('\n')
  return program.replace('http://127.0.0.1:3000/v1', server.baseUrl)
}

test('the package contains only the client, and installs no other package', async () => {
  const { folder } = installed

  expect(await readdir(join(folder, 'node_modules'))).toEqual(['.package-lock.json', 'pet-store'])
  const files = globSync('**/*.*', { cwd: join(folder, 'node_modules/pet-store'), exclude: ['dist/*.d.ts'] })
  expect(files.sort()).toEqual(['README.md', 'dist/client.js', 'package.json'])
  expect(readFileSync(join(folder, 'node_modules/pet-store/README.md'), 'utf8')).toMatch(/^# Pet Store client\n/)
  // In comments, esbuild names the files that it has bundled.
  expect(readFileSync(join(folder, 'node_modules/pet-store/dist/client.js'), 'utf8')).not.toMatch(/^\/\/ \.\./m)
})

test('the examples of the README run in the Node.js of npm, which may be an older one', async () => {
  const node = process.env.npm_node_execpath ?? process.execPath
  await write('readme.mjs', readmeProgram())

  expect((await installed.run(node, ['readme.mjs'])).split('\n')).toEqual([
    'Rex',
    expect.stringMatching(/^[\w-]{15}=$/),
    expect.stringMatching(/^\d+ \S+$/),
    expect.stringMatching(/^400 bad_request name must be a string of 1 .* Unicode\. \S+$/),
    'true',
    expect.stringMatching(/^9223372036854775807n \{"id":\d+,"name":"Tom","categoryId":9223372036854775807\}$/),
    '',
  ])
})

test('the types of the package are complete and exact', async () => {
  const calls = readFileSync('test/infra/client/typed-calls.ts', 'utf8')
  await write('typed-calls.ts', calls.replace('../../../infra/client/client.ts', 'pet-store'))
  await write('readme.mts', readmeProgram())
  // The oldest target, and the strictest way to find modules: what it accepts, bundlers accept too.
  const options = ['--strict', '--noEmit', '--module', 'nodenext', '--target', 'es2020', '--exactOptionalPropertyTypes']

  await installed.run('tsc', [...options, 'typed-calls.ts', 'readme.mts'])
})

test('CommonJS programs can require the package', async () => {
  await write('program.cjs', "console.log(typeof require('pet-store').createClient)")

  expect(await installed.run(process.execPath, ['program.cjs'])).toBe('function\n')
})

test('editors show that an operation is experimental, when it will be removed, and what a parameter is by default', () => {
  const deprecated = { since: new Date('2026-11-20'), sunset: new Date('2030-12-05'), successor: '/pets' } as const
  const entry = { ...contract.listPets, summary: 'Find cats', stability: 'experimental', deprecated } as const
  const query = v.object({ size: v.optional(Limit, '20') })

  const text = operationText('findCats', { ...entry, query })

  expect(text).toContain('/** Find cats.\n@experimental\n@deprecated Removed on 2030-12-05. */\nfindCats: {')
  expect(text).toContain('/** An integer from 1 to 100. Default: 20. */\n"size"?')
})
