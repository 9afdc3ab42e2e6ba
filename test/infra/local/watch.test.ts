import { spawn } from 'node:child_process'
import { cpSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterAll, expect, test, vi } from 'vitest'
import { send } from '../../support/http.ts'
import { newPet } from '../../support/pets.ts'
import {
  endWithParent,
  headersOf,
  leastEnvironment,
  ready,
  restartPort,
  temporaryFolder,
} from '../../support/server.ts'

// Most tests start several servers in turn, each of which takes half a minute on a very busy machine.
vi.setConfig({ testTimeout: 600_000, expect: { poll: { timeout: 120_000 } } })

const copy = temporaryFolder()
for (const folder of ['functions', 'infra', 'shared', 'package.json'])
  cpSync(folder, join(copy, folder), { recursive: true })
symlinkSync(resolve('node_modules'), join(copy, 'node_modules'))

const startWatching = (option: string) => {
  const command = [endWithParent, join(copy, 'infra/local/main.ts'), option]
  return ready(spawn(process.execPath, command, { env: leastEnvironment }))
}

// All tests change the sources of one server, in turn.
const port = restartPort()
const server = await startWatching(`--port=${port}`)
afterAll(() => server.stop('SIGKILL'))

/** How much of the output belongs to earlier changes. */
let read = 0

/** Gives a source of the copy another text, as git and editors do it, or restores it. */
const change = (file: string, text = readFileSync(file, 'utf8')) => {
  read = server.output().length
  writeFileSync(join(copy, 'new'), text)
  renameSync(join(copy, 'new'), join(copy, file))
}

const untilPrinted = (lines: string) =>
  expect.poll(() => server.output().slice(read)).toMatch(new RegExp(`^${lines}$`, 'm'))

const SENT = { path: '/pets', headers: headersOf(server) }

/** The list of pets, or the code of the error. */
const list = () =>
  send(server.baseUrl, SENT).then(
    ({ body }) => body,
    ({ code }) => code,
  )

const LIST = 'functions/listPets.ts'
const ENDED = 'The server has ended with 1\\. Waiting for a change\\.'
const serving = (file: string) => `Serving http:\\S+/v1 again: ${file} changed\\.`
await send(server.baseUrl, { ...SENT, method: 'POST', body: JSON.stringify(newPet()) })
const listed = await list()

/** A source of the list of pets. */
const listing = (expression: string) =>
  `import { operation } from '../shared/pipeline/operation.ts'\n\n` +
  `export const handler = operation('listPets', () => ${expression})\n`

test('serves a changed source, and logs what it throws later', async () => {
  const late = "Promise.reject(Error('1')); setTimeout(() => { throw Error('2') })"
  change(LIST, listing(`{ ${late}; return { items: [] } }`))

  await untilPrinted(serving(LIST))
  expect(await list()).toEqual([])
  for (const error of [1, 2])
    await untilPrinted(`A function has thrown an error after its response: Error: ${error}`)
  expect(await list()).toEqual([])
})

test('names what is wrong with a source, and serves the same data when it is right again', async () => {
  change(LIST, listing('[...('))
  await untilPrinted(`file:\\S+/${LIST}:3\n[\\s\\S]*SyntaxError[\\s\\S]+${ENDED}`)
  read = server.output().length
  rmSync(join(copy, LIST))
  await untilPrinted(`${LIST} is missing\\. Create it: .+\n${ENDED}`)
  change(LIST)

  await expect.poll(list).toEqual(listed)
  expect(listed).toHaveLength(20)
})

const LOOP = "{ console.log('In the loop.'); for (;;); }"

test('replaces a server that has ended, and one that an endless loop occupies', async () => {
  change(LIST, listing('process.exit(3)'))
  await untilPrinted(serving(LIST))
  expect(await list()).toBe('ECONNRESET')
  await untilPrinted('The server has ended with 3\\. Waiting for a change\\.')
  change(LIST, listing(LOOP))
  await untilPrinted(serving(LIST))
  const occupied = list()
  await untilPrinted('In the loop\\.')
  change(LIST)

  await expect.poll(list).toEqual(listed)
  expect(await occupied).toBe('ECONNRESET')
})

test('ends with its process, even if that is killed while an endless loop occupies it', async () => {
  change(LIST, listing(LOOP))
  await untilPrinted(serving(LIST))
  const occupied = list()
  await untilPrinted('In the loop\\.')

  await server.stop('SIGKILL')

  expect(await occupied).toBe('ECONNRESET')
  await expect.poll(list).toBe('ECONNREFUSED')
})

test('ends if its first server cannot start', async () => {
  change(LIST, '[...(')

  const reason = new RegExp(`^The local server ended with 1: [\\s\\S]+/${LIST}:1\n`)
  await expect(startWatching('--port=0')).rejects.toThrow(reason)
})
