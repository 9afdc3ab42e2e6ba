import { randomInt } from 'node:crypto'
import { cpSync, mkdtempSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { send } from '../../support/http.ts'
import { headersOf, startServer } from '../../support/server.ts'

const copy = mkdtempSync(join(tmpdir(), 'pet-store-watched-'))
for (const folder of ['functions', 'infra', 'shared', 'package.json'])
  cpSync(folder, join(copy, folder), { recursive: true })
symlinkSync(resolve('node_modules'), join(copy, 'node_modules'))

// Each change frees the port for a moment, in which the system must not give it to somebody else: no system gives such ports.
const port = `--port=${2 * randomInt(5000, 10_000)}`

/** The server of the copy, which all tests change in turn. */
const server = await startServer(['--watch', '--seed', port], {}, copy)
afterAll(async () => {
  await server.stop('SIGKILL')
  rmSync(copy, { recursive: true })
})

/** How much of the output belongs to earlier changes. */
let read = 0

/** Replaces a source of the copy by a changed one, as git and editors do it, or restores it. */
const change = (file: string, search: string | RegExp = '', replacement = '') => {
  read = server.output().length
  writeFileSync(join(copy, 'new'), readFileSync(file, 'utf8').replace(search, replacement))
  renameSync(join(copy, 'new'), join(copy, file))
}

const untilPrinted = (lines: RegExp) => expect.poll(() => server.output().slice(read)).toMatch(lines)

const list = async () => {
  const request = { path: '/pets', headers: headersOf(server) }
  return (await send(server.baseUrl, request).catch(() => undefined))?.body
}

const LIST = 'functions/listPets.ts'
const pets = await list()

test('serves a changed source, and warns of a response that breaks the contract', async () => {
  change(
    LIST,
    'pets.list(query)',
    `pets.list(query).then(() => ({ items: [{ id: 'seven' }] as never, next: undefined }))`,
  )

  await expect.poll(list).toEqual([{ id: 'seven' }])
  await untilPrinted(/^Serving http:\S+\/v1 again: functions\/listPets\.ts changed\.$/m)
  await untilPrinted(/^Not what shared\/contract\.ts says of listPets: 0\.id: Invalid type: .+"seven"; 0\.name: /m)
})

test('names what is wrong with a source, and serves the same pets when it is right again', async () => {
  change(LIST, 'pets.list(', '[...pets.list(')
  await untilPrinted(
    /^functions\/listPets\.ts:\d+\nSyntaxError: .+\nThe server has ended with 1\. Waiting for a change\.$/m,
  )
  change(LIST, '../shared/operation.ts', '../shared/htp.ts')
  await untilPrinted(
    /^functions\/listPets\.ts\nError: Cannot find module 'shared\/htp\.ts' .+\nThe server has ended with 1\. Waiting for a change\.$/m,
  )
  rmSync(join(copy, LIST))
  await untilPrinted(
    /^functions\/listPets\.ts is missing\. Create it: .+\nThe server has ended with 1\. Waiting for a change\.$/m,
  )
  change('shared/contract.ts', /'POST'(?=,\s+path: '\/pets',)/, "'GET'")
  change(LIST)
  await untilPrinted(/^\w+ has the method and path of \w+: .+\nThe server has ended with 1\. Waiting for a change\.$/m)
  change('shared/contract.ts')

  await expect.poll(list).toEqual(pets)
  expect(pets).toHaveLength(20)
})

test('says that a server has ended, and serves the same pets after the next change', async () => {
  change(LIST, 'pets.list', 'process.exit(3) ?? pets.list')
  await untilPrinted(/^Serving .+ again: functions\/listPets\.ts changed\.$/m)
  await expect.poll(list).toBeUndefined()
  await untilPrinted(/^The server has ended with 3\. Waiting for a change\.$/m)
  change(LIST)

  await expect.poll(list).toEqual(pets)
})

test('replaces a server that an endless loop occupies', async () => {
  change(LIST, 'pets.list(query)', '{ for (;;); }')
  await untilPrinted(/^Serving .+ again: functions\/listPets\.ts changed\.$/m)
  const occupied = list()
  change(LIST)

  await expect.poll(list).toEqual(pets)
  expect(await occupied).toBeUndefined()
})

test('ends with its server', async () => {
  expect(await server.stop()).toBe(0)
  expect(await list()).toBeUndefined()
})
