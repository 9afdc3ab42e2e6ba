import { execFileSync } from 'node:child_process'
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

/** The server of the copy, which all tests change in turn. */
const server = await startServer(['--watch', '--seed'], {}, copy)
afterAll(async () => {
  await server.stop('SIGKILL')
  rmSync(copy, { recursive: true })
})

/** Replaces a source of the copy by a changed one, as git and editors do it, or restores it. */
const change = (file: string, search: string | RegExp = '', replacement = '') => {
  writeFileSync(join(copy, 'new'), readFileSync(file, 'utf8').replace(search, replacement))
  renameSync(join(copy, 'new'), join(copy, file))
}

const untilPrinted = (lines: RegExp) => expect.poll(server.output).toMatch(lines)

/** Lists the pets on the server that started last: each selects a free port. */
const list = async () => {
  const addresses = server.output().match(/(?<=(Base address +|^Serving ))\S+/gm)
  const request = { path: '/pets', headers: headersOf(server) }
  return (await send(`${addresses?.at(-1)}`, request).catch(() => undefined))?.body
}

const LIST = 'functions/listPets.ts'
const pets = await list()

test('serves a changed source, and warns of a response that breaks the contract', async () => {
  change(LIST, 'return page(', `return { body: [{ id: 'seven' }] as never }\n  page(`)

  await expect.poll(list).toEqual([{ id: 'seven' }])
  await untilPrinted(/^Serving http:\S+\/v1 again: functions\/listPets\.ts changed\.$/m)
  await untilPrinted(/^Not what shared\/contract\.ts says of listPets: 0\.id: Invalid type: .+"seven"; 0\.name: /m)
})

test('names what is wrong with a source, and serves the same pets when it is right again', async () => {
  change(LIST, 'return page', 'return [...page')
  await untilPrinted(/^functions\/listPets\.ts:\d+\nSyntaxError: .+\nWaiting for a change\.$/m)
  change(LIST, '../shared/operation.ts', '../shared/htp.ts')
  await untilPrinted(
    /^functions\/listPets\.ts\nError: Cannot find module 'shared\/htp\.ts' .+\nWaiting for a change\.$/m,
  )
  rmSync(join(copy, LIST))
  await untilPrinted(/^functions\/listPets\.ts is missing\. Create it: .+\nWaiting for a change\.$/m)
  change('shared/contract.ts', /'POST'(?=,\s+path: '\/pets',)/, "'GET'")
  change(LIST)
  await untilPrinted(/^\w+ has the method and path of \w+: .+\nWaiting for a change\.$/m)
  change('shared/contract.ts')

  await expect.poll(list).toEqual(pets)
  expect(pets).toHaveLength(20)
})

test('starts again when it is killed', async () => {
  const [child = ''] = execFileSync('pgrep', ['-P', `${server.process.pid}`], { encoding: 'utf8' }).split('\n')

  process.kill(Number(child), 'SIGKILL')

  await untilPrinted(/^Serving http:\S+\/v1 again: the server had ended with SIGKILL\.$/m)
  expect(await list()).toEqual(pets)
})

test('ends with all its processes', async () => {
  expect(await server.stop()).toBe(0)
  expect(await list()).toBeUndefined()
})
