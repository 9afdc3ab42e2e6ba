import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join, resolve } from 'node:path'
import { afterAll, expect, test, vi } from 'vitest'
import { type Fault, startFaultProxy } from '../../support/fault-proxy.ts'
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
import { embedded } from '../packages/embedded-dynamodb/database.ts'

// Most tests start several servers in turn, each of which takes half a minute on a very busy machine.
vi.setConfig({ testTimeout: 600_000, expect: { poll: { timeout: 120_000 } } })

const copy = temporaryFolder()
for (const folder of ['functions', 'infra', 'shared', 'package.json'])
  cpSync(folder, join(copy, folder), { recursive: true })
symlinkSync(resolve('node_modules'), join(copy, 'node_modules'))

const startWatching = (option: string, env = {}) => {
  const command = [endWithParent, join(copy, 'infra/local/main.ts'), option]
  return ready(spawn(process.execPath, command, { env: { ...leastEnvironment, ...env } }))
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
const listing = (expression: string, first = '') =>
  `import { operation } from '../shared/pipeline/operation.ts'\n${first}\n` +
  `export const handler = operation('listPets', () => ${expression})\n`

test('serves a changed source with the permissions of its operation, and logs what it throws later', async () => {
  const late = "Promise.reject(Error('1')); setTimeout(() => { throw Error('2') })"
  const putKey = "import('../shared/data/api-keys.ts').then(({ put }) => put({}))"
  const caught = `${putKey}.catch(({ name }) => ({ items: [{ name }] }))`
  change(LIST, listing(`{ ${late}; return ${caught} }`))

  await untilPrinted(serving(LIST))
  expect(await list()).toEqual([{ name: 'AccessDenied' }])
  for (const error of [1, 2])
    await untilPrinted(`A function has thrown an error after its response: Error: ${error}`)
  expect(await list()).toEqual([{ name: 'AccessDenied' }])
})

test('names what is wrong with a source, and serves the same data when it is right again', async () => {
  change(LIST, listing('[...('))
  await untilPrinted(`file:\\S+/${LIST}:3\n[\\s\\S]*SyntaxError[\\s\\S]+${ENDED}`)
  change(LIST, listing('[]', "throw Error('At load.')"))
  await untilPrinted(`file:\\S+/${LIST}:2\n[\\s\\S]*Error: At load\\.[\\s\\S]+${ENDED}`)
  read = server.output().length
  rmSync(join(copy, LIST))
  await untilPrinted(`${LIST} is missing\\. Create it: .+\n${ENDED}`)
  change('shared/service.ts', '(')
  await untilPrinted(`file:\\S+/shared/service.ts:1\n[\\s\\S]*SyntaxError[\\s\\S]+${ENDED}`)
  change('shared/service.ts')
  await untilPrinted(ENDED)
  change(LIST)

  await expect.poll(list).toEqual(listed)
  expect(listed).toHaveLength(20)
})

test('during a restart, the system refuses connections; a port that is taken is named', async () => {
  const go = join(copy, 'go')
  const waits = `while (!(await import('node:fs')).existsSync('${go}')) await 0`
  change(LIST, `${readFileSync(LIST, 'utf8')}\n${waits}\n`)

  await expect.poll(list).toBe('ECONNREFUSED')
  const other = createServer().listen(port, '127.0.0.1')
  await once(other, 'listening')
  writeFileSync(go, '')
  await untilPrinted(`127\\.0\\.0\\.1:${port} is in use, .+\n${ENDED}`)
  other.close()
  change(LIST)

  await expect.poll(list).toEqual(listed)
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

test('adds a new table, and refuses a new index of an old one', async () => {
  const text = readFileSync('shared/service.ts', 'utf8')
  change('shared/service.ts', text.replace("pets: ['status'", "toys: [], pets: ['status'"))
  await untilPrinted(serving('shared/service.ts'))
  change('shared/service.ts', text.replace("orders: ['petId'", "orders: ['petId', 'reference'"))
  const advice = 'Start again with an empty database, or use the commit that made this one\\.'
  await untilPrinted(`\\S+-Orders lacks the index byReference\\. ${advice}\n${ENDED}`)
  change('shared/service.ts')

  await expect.poll(list).toEqual(listed)
})

test('has all examples, once, when a source changes while it adds them', async () => {
  const proxy = await startFaultProxy(await embedded())
  const released = Promise.withResolvers<Fault>()
  const writes = new Promise<void>((resolve) => {
    proxy.faultOf = ({ operation }) => {
      if (operation !== 'TransactWriteItems') return 'pass'
      resolve()
      return released.promise
    }
  })
  const started = startWatching('--port=0', { AWS_ENDPOINT_URL_DYNAMODB: proxy.endpoint })
  await writes
  change(LIST)
  released.resolve('pass')

  const { output, stop } = await started
  expect(output()).toMatch(/, with 51 pets and 22 orders\n/)
  await expect.poll(output).toMatch(/Serving .+ again/)
  expect(await stop()).toBe(0)
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
