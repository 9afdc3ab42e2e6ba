import { spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import {
  cpSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join, resolve } from 'node:path'
import { afterAll, expect, test, vi } from 'vitest'
import type { Pet } from '../../../shared/pets/pet.ts'
import { service } from '../../../shared/service.ts'
import { type Fault, startFaultProxy } from '../../support/fault-proxy.ts'
import { send } from '../../support/http.ts'
import { newPet } from '../../support/pets.ts'
import {
  endWithParent,
  headersOf,
  leastEnvironment,
  listAll,
  ready,
  startServer,
  temporaryFolder,
} from '../../support/server.ts'
import { embedded } from '../packages/embedded-dynamodb/database.ts'

// Most tests start several servers in turn, each of which takes half a minute on a very busy machine.
vi.setConfig({ testTimeout: 600_000, expect: { poll: { timeout: 120_000 } } })

const copy = temporaryFolder()
for (const folder of ['functions', 'infra', 'shared', 'package.json'])
  cpSync(folder, join(copy, folder), { recursive: true })
symlinkSync(resolve('node_modules'), join(copy, 'node_modules'))

// Each change frees the port for a moment, in which the system must not give it to somebody else:
// no system gives such ports.
const port = `--port=${2 * randomInt(5000, 10_000)}`

const startWatching = (option: string, env = {}) => {
  const command = [endWithParent, join(copy, 'infra/local/main.ts'), option]
  return ready(spawn(process.execPath, command, { env: { ...leastEnvironment, ...env } }))
}

// All tests change the copy, whose servers these are, in turn.
const [server, notWatching] = await Promise.all([startWatching(port), startServer([], {}, copy)])
const banner = notWatching.output()
afterAll(() => Promise.all([server, notWatching].map((each) => each.stop('SIGKILL'))))

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

const list = async () => (await send(server.baseUrl, SENT).catch(() => undefined))?.body

const CONTRACT = 'shared/contract.ts'
const SERVICE = 'shared/service.ts'
const LIST = 'functions/listPets.ts'
/** The names of the newest pets. */
const names = async () => Object(await list()).map(({ name }: Pet) => name)
const examples = await names()
await send(server.baseUrl, { ...SENT, method: 'POST', body: JSON.stringify(newPet()) })
const listed = await list()

/** A source of the list of pets. */
const listing = (expression: string, from = '../shared/pipeline/operation.ts') =>
  `import { operation } from '${from}'\nexport const handler = operation('listPets', () => ${expression})\n`

test('serves a changed source with the permissions of its operation', async () => {
  const putKey = `import('../shared/data/api-keys.ts').then(({ put }) => put({}))`
  change(LIST, listing(`${putKey}.catch(({ name }) => ({ items: [{ id: name }] }))`))

  await expect.poll(list).toEqual([{ id: 'AccessDenied' }])
  await untilPrinted(`Serving http:\\S+${service.basePath} again: ${LIST} changed\\.`)
})

test('logs a rejected promise that a function leaves, and goes on', async () => {
  change(LIST, listing(`{ Promise.reject(Error('Left by the test.')); return { items: [] } }`))
  await expect.poll(list).toEqual([])

  await untilPrinted('A function has left a rejected promise: Error: Left by the test\\.')
  expect(await list()).toEqual([])
})

test('names what is wrong with a source, and serves the same data when it is right again', async () => {
  const ended = '\nThe server has ended with exit code 1\\. Waiting for a change\\.'
  change(LIST, listing('[...('))
  await untilPrinted(`${LIST}:\\d+\nSyntaxError: .+${ended}`)
  change(LIST, listing('[]', '../shared/nothing.ts'))
  await untilPrinted(`${LIST}\nError: Cannot find module 'shared/nothing\\.ts' .+${ended}`)
  rmSync(join(copy, LIST))
  await untilPrinted(`${LIST} is missing\\. Create it: .+${ended}`)
  const contractText = readFileSync(CONTRACT, 'utf8')
  change(CONTRACT, contractText.replace(/'POST'(?=,\s+path: '\/pets')/, "'GET'"))
  change(LIST)
  await untilPrinted(`\\w+ in shared/contract.ts has the method and path of \\w+: .+${ended}`)
  change(CONTRACT)

  await expect.poll(list).toEqual(listed)
  expect(listed).not.toEqual([])
})

test('notices a source in a new folder, and one that came back with its folder', async () => {
  const folder = join(copy, 'shared/new')
  const add = () => {
    mkdirSync(folder)
    writeFileSync(join(folder, 'operation.ts'), "export * from '../pipeline/operation.ts'\n")
  }
  const missing = "Error: Cannot find module 'shared/new/operation\\.ts' .+"
  change(LIST, listing(`({ items: [{ id: 'served' }] })`, '../shared/new/operation.ts'))
  await untilPrinted(missing)
  add()
  await expect.poll(list).toEqual([{ id: 'served' }])
  read = server.output().length
  rmSync(folder, { recursive: true })
  await untilPrinted(missing)
  add()

  await expect.poll(list).toEqual([{ id: 'served' }])
})

test.each([
  ['null', 'null'],
  ["Object.assign(new Error('Late.'), { stack: '' })", '\\[Error: Late\\.\\]'],
])('logs what a function throws later, and goes on: %s', async (thrown, printed) => {
  change(LIST, listing(`{ setTimeout(() => { throw ${thrown} }); return { items: [] } }`))
  await untilPrinted(`Serving .+ again: ${LIST} changed\\.`)
  await list()

  await untilPrinted(`A function has thrown an error after its response: ${printed}`)
  expect(await list()).toEqual([])
})

test('replaces a server that has ended, and one that an endless loop occupies', async () => {
  change(LIST, listing('process.exit(3)'))
  await untilPrinted(`Serving .+ again: ${LIST} changed\\.`)
  expect(await list()).toBeUndefined()
  await untilPrinted('The server has ended with exit code 3\\. Waiting for a change\\.')
  change(LIST, listing('{ for (;;); }'))
  await untilPrinted(`Serving .+ again: ${LIST} changed\\.`)
  const occupied = list()
  change(LIST)

  await expect.poll(list).toEqual(listed)
  expect(await occupied).toBeUndefined()
})

test('makes new tables in memory when a filter or a collection is added, but keeps those in a folder', async () => {
  const folder = ['--data', temporaryFolder()]
  const first = await startServer(folder, {}, copy)
  const inFolder = await listAll(first)
  await first.stop()
  const text = readFileSync(SERVICE, 'utf8')
  const restarted =
    'The tables are new, with \\d+ pets and \\d+ orders\\.\n' +
    `Serving .+ again: ${SERVICE} changed\\.`
  change(SERVICE, text.replace("pets: ['status'", "toys: [], pets: ['status'"))
  await untilPrinted(restarted)
  const second = await startServer(folder, {}, copy)
  expect(await listAll(second)).toEqual(inFolder)
  await second.stop()
  change(SERVICE, text.replace("orders: ['petId'", "orders: ['petId', 'reference'"))

  await untilPrinted(restarted)
  expect([examples.length, await names()]).toEqual([20, examples])
  await expect(startServer(folder, {}, copy)).rejects.toThrow(
    'The table PetStoreLocal-Orders lacks the index byReference. ' +
      'Use the commit that made it, or a new folder.',
  )
})

test('has all examples, and says so, when a source changes while it adds them', async () => {
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
  expect(await stop()).toBe(0)
})

test('does not restart with --no-watch', () => {
  expect(notWatching.output()).toBe(banner)
})

test('ends with its server', async () => {
  expect(await server.stop()).toBe(0)
  expect(await list()).toBeUndefined()
})

test.each([
  ['[...(', '1: functions/listPets\\.ts:\\d+\nSyntaxError: '],
  // A source that ends its thread ends the whole process, too.
  ['process.exit(0)', '1: $'],
])('ends if its first server cannot start: %s', async (text, reason) => {
  change(LIST, text)

  const started = startWatching('--port=0')
  await expect(started).rejects.toThrow(new RegExp(`^The local server ended with ${reason}`))
})
