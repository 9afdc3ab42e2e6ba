import { appendFileSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, test, vi } from 'vitest'
import { CommandError } from '../../../infra/command-line.ts'
import { importPets } from '../../../infra/commands/import.ts'
import { readPets } from '../../../infra/commands/pet-rows.ts'
import { Pet } from '../../../shared/pets/pet.ts'
import { at } from '../../support/clock.ts'
import { deleteItem, failOnce, proxy, storedItems } from '../../support/database.ts'
import { type Fate, serveFake } from '../../support/fake-api.ts'
import { databaseResponses } from '../../support/fault-proxy.ts'
import { deploymentAt, serveDeployment } from '../../support/local-deployment.ts'
import { startCommand } from '../../support/run-command.ts'
import { temporaryFolder } from '../../support/server.ts'

const printed = vi.spyOn(console, 'info').mockImplementation(() => {})
const warned = vi.spyOn(console, 'error').mockImplementation(() => {})

beforeEach(async () => {
  for (const { id } of await storedItems()) await deleteItem('pets', { id })
})

/** Writes a file of its own, by default of one pet. Returns its path. */
const fileOf = (content: string | Buffer = 'name,categoryId\nRex,1\n', name = 'pets.csv') => {
  const file = join(temporaryFolder(), name)
  writeFileSync(file, content)
  return file
}

const { signal } = new AbortController()

/** Imports a file to the API at `baseUrl`. Returns what is printed, and the message of the error. */
const run = async (file: string, baseUrl: string) => {
  printed.mockClear()
  const imported = importPets(file, deploymentAt(baseUrl), signal)
  const error = await imported.catch(({ message }) => message)
  const isOfCommand = (line: unknown) => typeof line === 'string' && !/^\d\d:/.test(line)
  return { lines: printed.mock.calls.flat().filter(isOfCommand), error }
}

const done = (line: string) => ({ lines: [line], error: undefined })
const names = async () => (await storedItems()).map(({ name }) => name).toSorted()

test('a second import adds what is new or corrected, and a replay counts as no addition', async () => {
  const { baseUrl } = await serveDeployment()
  const file = fileOf('name,categoryId\nRex,1\nRex,1\nTom,x\n')

  const first = await run(file, baseUrl)
  appendFileSync(`${file}.Test.started`, '\n') // As an editor does.
  writeFileSync(file, 'name,categoryId\nTom,1\nRex,1\nRex,1\nMia,1\n')
  const second = await run(file, baseUrl)

  expect(first.lines).toEqual([
    expect.stringMatching(/^Row 4: categoryId must be a JSON number, /),
    '2 added, 0 added by earlier requests, 1 refused.',
  ])
  expect(first.error).toBe('Correct the refused rows in the file, and run this again.')
  expect(second).toEqual(done('2 added, 2 added by earlier requests, 0 refused.'))
  expect(await names()).toEqual(['Mia', 'Rex', 'Rex', 'Tom'])
})

test('two imports of a file at once, one by a symbolic link, double nothing; a copy is another file', async () => {
  const deployment = await serveDeployment()
  const content = `name,categoryId\n${'Rex,1\n'.repeat(40)}`
  const file = fileOf(content)
  const other = join(temporaryFolder(), 'other.csv')
  symlinkSync(file, other)

  await Promise.all([file, other].map((each) => importPets(each, deployment, signal)))
  expect(await storedItems()).toHaveLength(40)

  await importPets(fileOf(content), deployment, signal)
  expect(await storedItems()).toHaveLength(80)
})

const HOUR_MS = 3_600_000
const atOnce = { 'Retry-After': '0' }
const late = (file: string) =>
  'The import of this file did not begin within the last 23 hours, so pets could be added twice. ' +
  'Export the pets, and leave only missing ones in the file. ' +
  `Then remove ${file}.Test.started, and run this again.`

test.each([
  ['23 hours after it began', 23 * HOUR_MS],
  ['when the clock was set back', -1],
  ['when its mark is cut', 0, 60],
])('an import is refused %s', async (_, later, length = 62) => {
  const file = fileOf()
  const { baseUrl, requests } = await serveFake({ status: 401, body: '{"status":401}' })
  await run(file, baseUrl)

  at(later)
  truncateSync(`${file}.Test.started`, length)

  expect(await run(file, baseUrl)).toEqual({ lines: [], error: late(file) })
  expect(requests).toHaveLength(1)
})

test('an import that waits for 23 hours sends nothing more', async () => {
  const file = fileOf()
  const { baseUrl, requests } = await serveFake(async () => {
    at(23 * HOUR_MS)
    return { status: 503, headers: atOnce }
  })

  expect(await run(file, baseUrl)).toEqual({ lines: [], error: late(file) })
  expect(requests).toHaveLength(1)
})

const error = (status: number, message: string): Fate => {
  return { status, headers: atOnce, body: JSON.stringify({ code: 'x', message, status }) }
}
const added: Fate = { status: 201, body: '{}' }

test('all but refusals is retried, with the same key and body', async () => {
  const retried: Fate[] = [
    error(503, 'busy'),
    'cut',
    error(403, 'The request was refused.'), // AWS WAF
    { status: 403, headers: atOnce, body: '<html>Blocked' },
    { status: 200, headers: atOnce, body: '<html>Log in' },
    { status: 307, headers: { ...atOnce, Location: 'http://127.0.0.1:9/' } },
    error(409, 'conflict'),
    'cutResponse',
  ]
  const { baseUrl, requests } = await serveFake(...retried, added)

  const finished = await run(fileOf(), baseUrl)

  expect(finished).toEqual(done('1 added, 0 added by earlier requests, 0 refused.'))
  const sent = requests.map(({ headers, body }) => `${headers['idempotency-key']} ${body}`)
  expect(sent).toHaveLength(9)
  expect(new Set(sent).size).toBe(1)
})

test('an import ends when its key is refused', async () => {
  const { baseUrl } = await serveFake(error(403, 'No.'))

  expect(await run(fileOf(), baseUrl)).toEqual({
    lines: [],
    error: 'The API does not accept the key of this command: No.',
  })
})

test('the key of a run is deleted; one that may be left is named, and the command fails', async () => {
  const { baseUrl } = await serveFake(added)
  const file = fileOf()
  const before = await storedItems('apiKeys')

  await run(file, baseUrl)
  expect(await storedItems('apiKeys')).toEqual(before)
  failOnce({ DeleteItem: databaseResponses.accessDenied })
  const finished = await run(file, baseUrl)
  const { exitCode } = process
  process.exitCode = undefined

  expect(finished).toEqual(done('1 added, 0 added by earlier requests, 0 refused.'))
  expect(exitCode).toBe(1)
  const [left] = (await storedItems('apiKeys')).filter(({ clientId }) => clientId === 'import')
  const advice = `Revoke its key: npm run keys -- revoke ${left?.keyId}`
  expect(warned).toHaveBeenLastCalledWith(expect.stringContaining(advice))
})

test('a run has its own key, which ends within an hour, and gets another one before', async () => {
  const keys: unknown[] = []
  const { baseUrl } = await serveFake(async ({ headers }) => {
    keys.push(headers.authorization)
    at(keys.length * 25 * 60_000)
    return { status: 503, headers: atOnce, ...(keys.length === 3 && added) }
  })

  await run(fileOf(), baseUrl)

  expect(new Set(keys.slice(0, 2)).size).toBe(1)
  expect(new Set(keys).size).toBe(2)
  const [left] = (await storedItems('apiKeys')).filter(({ name }) => name === 'import')
  expect(left).toHaveProperty('expiresAt', Date.parse(String(left?.createdAt)) / 1000 + 3600)
})

test('CSV is read as RFC 4180 says, with all digits of int64s, and rows as a spreadsheet counts', () => {
  const rows = [
    '\uFEFFname,categoryId,status',
    '"Re""x, Jr",9223372036854775807,',
    '',
    '"a\r\nb",007,sold',
    'Tom,4.68769E+14,',
  ]

  expect(readPets(fileOf(rows.join('\r\n')))).toEqual([
    { number: 2, body: '{"name":"Re\\"x, Jr","categoryId":9223372036854775807}' },
    // It is no number in JSON, so the API refuses it.
    { number: 4, body: '{"name":"a\\r\\nb","categoryId":"007","status":"sold"}' },
    {
      number: 5,
      body: expect.any(String),
      problem: 'categoryId must be in digits: a spreadsheet may have rounded 4.68769E+14.',
    },
  ])
})

test('a line of JSON is taken as it is, unless it has an unknown field', () => {
  const pet = '{"id":5,"name":"\u2028","categoryId":-9223372036854775808}'
  const file = fileOf(`\uFEFF${pet}\r\n\n{"name":"Rex","categoryID":1}\n[`, 'pets.JSONL')

  expect(readPets(file)).toEqual([
    { number: 1, body: pet },
    {
      number: 3,
      body: '{"name":"Rex","categoryID":1}',
      problem: 'It has the unknown field "categoryID".',
    },
    { number: 4, body: '[' },
  ])
})

const header = `The first row must name fields, each once: ${Object.keys(Pet.entries)}.`
const start = 'name,categoryId\r\n"a\r\nb",1\r\n'
test.each<[string, string | Buffer, string]>([
  ['no header', 'Rex,1\n', header],
  ['a name twice', 'name,categoryId,name\n', header],
  [
    'a row of another length',
    `${start}Tom\n`,
    'Row 3 is no CSV: Invalid Record Length: columns length is 2, got 1',
  ],
  [
    'a quote that is never closed',
    `${start}"${'x\n'.repeat(150_000)}`,
    'Row 3 is no CSV: Max Record Size',
  ],
  ['Windows-1252', Buffer.from(`${start}Zoë,1\n`, 'latin1'), 'pets.csv is not UTF-8.'],
])('%s is refused before anything is sent', async (_, content, problem) => {
  const { baseUrl, requests } = await serveFake(added)
  const file = fileOf(content)

  const imported = importPets(file, deploymentAt(baseUrl), signal)

  await expect(imported).rejects.toThrow(CommandError)
  await expect(imported).rejects.toThrow(problem)
  expect(requests).toEqual([])
})

// Last, because it leaves a key behind.
test('adds each pet once, although it is killed', async () => {
  const { port } = new URL((await serveDeployment()).baseUrl)
  const all = Array.from({ length: 150 }, (_, i) => `Pet ${i}`)
  const file = fileOf(`name,categoryId\n${all.map((name) => `${name},1\n`).join('')}`)
  const start = () =>
    startCommand('commands/import', [file, '--stage', 'local', '--port', port], {
      AWS_ENDPOINT_URL_DYNAMODB: proxy.endpoint,
    })

  const { child, exited } = start()
  await vi.waitUntil(async () => (await names()).length >= 30, 30_000)
  child.kill('SIGKILL')
  await exited
  const { code, stdout } = await start().exited

  expect(code).toBe(0)
  expect(stdout).toMatch(/^\d+ added, \d+ added by earlier requests, 0 refused\.\n$/)
  expect(await names()).toEqual(all.toSorted())
})
