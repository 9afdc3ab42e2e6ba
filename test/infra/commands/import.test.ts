import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test, vi } from 'vitest'
import { digestOf } from '../../../shared/model/api-key.ts'
import { Pet } from '../../../shared/pets/pet.ts'
import { failAlways, proxy } from '../../support/database.ts'
import { type Fate, serveFake } from '../../support/fake-api.ts'
import { databaseResponses } from '../../support/fault-proxy.ts'
import { failure, startCommand } from '../../support/run-command.ts'
import { exampleCredentials } from '../../support/secrets.ts'
import { listAll, startTestServer, temporaryFolder } from '../../support/server.ts'

/** Writes a file of its own. Returns its path. */
const fileOf = (text: string, name = 'pets.csv'): string => {
  const file = join(temporaryFolder(), name)
  writeFileSync(file, text)
  return file
}

const env = { AWS_ENDPOINT_URL_DYNAMODB: proxy.endpoint, ...exampleCredentials }

const startImport = (file: string, port: string, ...args: string[]) => {
  const target = ['--stage', 'local', '--port', port]
  return startCommand('commands/import', [file, ...target, ...args], env)
}

const error = (status: number, message: string, headers = {}): Fate => {
  return { status, headers, body: JSON.stringify({ code: 'x', message, status }) }
}
const added = (id: number): Fate => ({ status: 201, body: JSON.stringify({ id }) })

/** An API that sends these responses, and the import of a file into it. */
const fakeApi = async (...fates: Fate[]) => {
  const { baseUrl, requests } = await serveFake(...fates)
  const { port } = new URL(baseUrl)
  const importFile = (file: string, ...args: string[]) =>
    startImport(file, port, '--in-flight', '1', ...args).exited
  return { requests, importFile, recordOf: (file: string) => `${file}.PetStoreLocal${port}.jsonl` }
}

const entriesOf = (record: string) =>
  readFileSync(record, 'utf8')
    .split('\n')
    .filter(Boolean)
    .flatMap((line) => (line.endsWith('}') ? [JSON.parse(line)] : [])) // Or it was cut off.

test('adds each pet once, although the import is killed three times, and the server once', {
  timeout: 240_000,
}, async () => {
  const names = Array.from({ length: 120 }, (_, i) => `Pet ${i}`)
  const file = fileOf(`name,categoryId\n${names.map((name) => `${name},1\n`).join('')}`)
  const folder = join(temporaryFolder(), 'data')
  let server = await startTestServer(['--empty', '--data', folder])
  const { port } = new URL(server.baseUrl)
  const record = `${file}.PetStoreLocal${port}.jsonl`
  const target = ['--stage', 'local', '--port', port]
  const start = () => startCommand('commands/import', [file, ...target, '--per-second', '60'])
  const responses = () => entriesOf(record).filter(({ id }) => id).length
  const until = (count: number) =>
    vi.waitUntil(() => existsSync(record) && responses() >= count, { timeout: 60_000 })

  for (const count of [10, 30, 50]) {
    const { child, exited } = start()
    await until(count)
    child.kill('SIGKILL')
    await exited
  }
  const last = start()
  await until(70)
  await server.stop('SIGKILL')
  server = await startTestServer(['--empty', '--data', folder, `--port=${port}`])
  const finished = await last.exited

  expect(finished).toMatchObject({ code: 0, stdout: 'Of 120 pets: 120 added, 0 refused.\n' })
  expect((await listAll(server)).map(({ name }) => name).toSorted()).toEqual(names.toSorted())
  expect(new Set(entriesOf(record).flatMap(({ id, line }) => (id ? [line] : []))).size).toBe(120)
})

test('CSV is read as RFC 4180 says, and all digits of int64s stay', async () => {
  const rows = [
    '\uFEFFname,categoryId,status',
    '"Re""x, Jr",9223372036854775807,',
    '"a\nb",007,sold',
  ]
  const file = fileOf(rows.join('\r\n'))
  const { requests, importFile, recordOf } = await fakeApi(added(1), added(2))

  const finished = await importFile(file)

  expect(finished).toEqual({ code: 0, stdout: 'Of 2 pets: 2 added, 0 refused.\n', stderr: '' })
  const digest = digestOf(rows.join('\r\n'))
  expect(requests.map(({ headers, body }) => [headers['idempotency-key'], body])).toEqual([
    [`import-${digest}-2`, '{"name":"Re\\"x, Jr","categoryId":9223372036854775807}'],
    // It is no number in JSON, so the API refuses it.
    [`import-${digest}-4`, '{"name":"a\\nb","categoryId":"007","status":"sold"}'],
  ])
  const sentAt = expect.stringMatching(/^\d{4}-.+Z$/)
  expect(entriesOf(recordOf(file))).toEqual([
    { digest },
    { line: 2, sentAt },
    { line: 2, id: 1 },
    { line: 4, sentAt },
    { line: 4, id: 2 },
  ])
})

test('a line of JSON is sent as it is, unless it has an unknown field', async () => {
  const pet = '{"id":5,"name":"\u2028","categoryId":-9223372036854775808}'
  const file = fileOf(`${pet}\n{"name":"Rex","categoryID":1}\n[`, 'pets.jsonl')
  const { requests, importFile } = await fakeApi(added(1), error(400, 'The body is invalid.'))

  const { code, stdout } = await importFile(file)

  expect(requests.map(({ body }) => body)).toEqual([pet, '['])
  expect({ code, stdout: stdout.split('\n') }).toEqual({
    code: 1,
    stdout: [
      'Line 2: It has the unknown field "categoryID".',
      'Line 3: The body is invalid.',
      'Of 3 pets: 1 added, 2 refused.',
      '',
    ],
  })
  expect(readFileSync(`${file}.refused.jsonl`, 'utf8')).toBe('{"name":"Rex","categoryID":1}\n[\n')
})

test('refused lines are written with the header, and a mended file is left as it is', async () => {
  const file = fileOf('name,categoryId\nRex,1\n"T,om",x\na,b,c\n')
  const responses = [added(1), error(422, 'Made by the test.')]
  const staging = await fakeApi(...responses)
  const production = await fakeApi(...responses)
  const refused = `${file}.refused.csv`

  const first = await staging.importFile(file)
  const written = readFileSync(refused, 'utf8')
  writeFileSync(refused, 'name,categoryId\nTom,1\n')
  const second = await production.importFile(file)

  const lines = [
    'Line 3: Made by the test.',
    'Line 4: The line has 3 cells, and the header has 2.',
    'Of 3 pets: 1 added, 2 refused.',
    '',
  ]
  const stdout = lines.join('\n')
  const sentence = `The refused lines are in ${refused}. Correct them there, and import that file.`
  const kept = 'It was there before: to have it written again, remove it, and run this again.'
  expect(first).toEqual({ code: 1, stdout, stderr: `${sentence}\n` })
  expect(second).toEqual({ code: 1, stdout, stderr: `${sentence} ${kept}\n` })
  expect(written).toBe('name,categoryId\r\n"T,om",x\r\na,b,c\r\n')
  expect(readFileSync(refused, 'utf8')).toBe('name,categoryId\nTom,1\n')
})

test('all but refusals is retried, with the same key and body', async () => {
  const retried: Fate[] = [
    error(503, 'busy', { 'Retry-After': '0' }),
    error(429, 'Too many', { 'Retry-After': new Date(0).toUTCString() }),
    'cut',
    error(403, 'The request was refused.'), // AWS WAF
    { status: 403, body: '<html>Blocked' },
    { status: 200, body: '<html>Log in' },
    { status: 307, headers: { Location: 'http://127.0.0.1:9/' } },
    error(409, 'conflict'),
    'cutResponse',
  ]
  const { requests, importFile } = await fakeApi(...retried, added(1))

  const finished = await importFile(fileOf('name,categoryId\nRex,1\n'))

  expect(finished).toMatchObject({ code: 0, stdout: 'Of 1 pets: 1 added, 0 refused.\n' })
  expect(requests).toHaveLength(10)
  expect(
    new Set(requests.map(({ headers, body }) => `${headers['idempotency-key']} ${body}`)).size,
  ).toBe(1)
})

test('a 403 stops the import', async () => {
  const file = fileOf('name,categoryId\nRex,1\nTom,1\n')
  const { requests, importFile } = await fakeApi(error(403, 'No.'))

  expect(await importFile(file)).toEqual(
    failure('The API does not accept the key of this command: No.'),
  )
  expect(requests).toHaveLength(1)
})

const NAMES = Object.keys(Pet.entries).join(',')
const FIELDS = `Its first line must name fields, with commas between them: ${NAMES}.`
test.each([
  ['', 'it is empty. $'],
  ['Rex,1\n', 'it has the unknown column "Rex". $'],
  ['name,categoryId,name\n', 'it has the column name twice.'],
  [
    'name,categoryId\nRex,1\nT"om,1\n',
    'Invalid Opening Quote: a quote is found on field 0 at line 3, value is "T"',
  ],
])('a file that cannot be read is refused before anything is sent: %j', async (text, problem) => {
  const file = fileOf(text)
  const { requests, importFile } = await fakeApi()

  expect(await importFile(file)).toEqual(
    failure(`${file} cannot be read: ${problem.replace('$', FIELDS)}`),
  )
  expect(requests).toEqual([])
})

test('another file under the same name is refused', async () => {
  const file = fileOf('name,categoryId\nRex,1\n')
  const { importFile, recordOf } = await fakeApi(added(1))
  await importFile(file)

  writeFileSync(file, 'name,categoryId\nTom,1\n')

  const problem = 'belongs to another file of this name. Import this one under another name.'
  expect(await importFile(file)).toEqual(failure(`${recordOf(file)} ${problem}`))
})

test('a second import of a file is refused while the first is running', async () => {
  const file = fileOf('name,categoryId\nRex,1\n')
  const { baseUrl, requests } = await serveFake('silence')
  const { port } = new URL(baseUrl)
  const { child, exited } = startImport(file, port)
  await vi.waitUntil(() => requests.length > 0, { timeout: 60_000 })

  const second = await startImport(file, port).exited
  child.kill('SIGINT')

  const record = `${file}.PetStoreLocal${port}.jsonl`
  expect(second).toEqual(failure(`Another import of this file is running: see ${record}.`))
  expect(await exited).toMatchObject({ code: 1, stderr: expect.stringMatching(/^Stopped/) })
})

test('it stops if the pet that was added last does not exist', async () => {
  const file = fileOf('name,categoryId\nRex,1\nTom,1\n')
  const first = await fakeApi(added(7), error(401, 'No.'))
  await first.importFile(file)

  const { requests, importFile, recordOf } = await fakeApi(error(404, 'No pet.'))
  writeFileSync(recordOf(file), readFileSync(first.recordOf(file)))

  expect(await importFile(file)).toEqual(
    failure(
      'No pet has the id 7, which was imported last: it was deleted, or this is a new ' +
        `database. To import all lines again, remove ${recordOf(file)}.`,
    ),
  )
  expect(requests).toMatchObject([{ method: 'PATCH', path: '/v1/pets/7' }])
})

test('a line that was sent 23 hours ago is named, and sent with --resend', async () => {
  const text = 'name,categoryId\nRex,1\nTom,1\n'
  const file = fileOf(text)
  const { requests, importFile, recordOf } = await fakeApi(added(1), error(412, ''), added(2))
  const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString()
  const entries = [
    { digest: digestOf(text) },
    { line: 2, sentAt: hoursAgo(24) },
    { line: 3, sentAt: hoursAgo(22) },
  ]
  const cutOff = '\n{"line":2,"id":1'
  writeFileSync(
    recordOf(file),
    entries.map((entry) => `\n${JSON.stringify(entry)}`).join('') + cutOff,
  )

  const first = await importFile(file)
  const second = await importFile(file, '--resend')

  expect(first).toEqual({
    code: 1,
    stdout:
      'Line 2 may have been added. Look for {"name":"Rex","categoryId":1}\n' +
      'Of 2 pets: 1 added, 0 refused, 1 unknown.\n',
    stderr:
      'Look for the unknown lines. --resend sends them again: it adds them twice if they are there.\n',
  })
  expect(second).toEqual({ code: 0, stdout: 'Of 2 pets: 2 added, 0 refused.\n', stderr: '' })
  expect(requests.map(({ method, body }) => [method, body])).toEqual([
    ['POST', '{"name":"Tom","categoryId":1}'],
    ['PATCH', '{"name":"-"}'],
    ['POST', '{"name":"Rex","categoryId":1}'],
  ])
})

test('a file beside that cannot be written ends it with a sentence', async () => {
  const file = fileOf('name,categoryId\nRex,x\n')
  const { importFile, recordOf } = await fakeApi(error(400, 'Made by the test.'))
  const refused = `${file}.refused.csv.part`
  mkdirSync(recordOf(file))
  mkdirSync(refused)

  const first = await importFile(file)
  rmdirSync(recordOf(file))
  const second = await importFile(file)

  const problem = (path: string) =>
    `${path} cannot be written: EISDIR: illegal operation on a directory, open '${path}'\n`
  expect(first.stderr).toBe(problem(recordOf(file)))
  expect(second.stderr).toBe(problem(refused))
})

test('what a full disk cannot record is not sent, and a later run adds the rest', async () => {
  const file = fileOf(`name,categoryId\n${'Rex,1\n'.repeat(150)}`)
  const { baseUrl, requests } = await serveFake(async ({ method }) =>
    method === 'PATCH' ? error(412, '') : added(1),
  )
  const { port } = new URL(baseUrl)
  const record = `${file}.PetStoreLocal${port}.jsonl`
  const linesOf = (entries: { sentAt?: string; line: number }[]) =>
    entries.flatMap(({ sentAt, line }) => (sentAt ? [line] : []))

  // A limit on the size of files stands for the size of the disk.
  const limited = [
    '-c',
    'ulimit -f 16; exec "$0" "$@"',
    process.execPath,
    'infra/commands/import.ts',
  ]
  const args = [...limited, file, '--stage', 'local', '--port', port]
  const { stderr } = await promisify(execFile)('sh', args, { env }).catch((error) => error)
  const sent = requests.map(({ headers }) => Number(`${headers['idempotency-key']}`.split('-')[2]))
  const recorded = linesOf(entriesOf(record))
  const finished = await startImport(file, port).exited

  expect(stderr).toBe(`${record} cannot be written: EFBIG: file too large, write\n`)
  expect(recorded).toEqual(expect.arrayContaining(sent))
  expect(sent.length).toBeGreaterThan(0)
  expect(finished).toMatchObject({ code: 0, stdout: 'Of 150 pets: 150 added, 0 refused.\n' })
})

test('credentials that may not store a key end it with a sentence', async () => {
  failAlways(databaseResponses.accessDenied)
  const { requests, importFile } = await fakeApi()

  const finished = await importFile(fileOf('name,categoryId\nRex,1\n'))

  const line = `The DynamoDB at ${proxy.endpoint} refused the request: Made by the test.`
  expect(finished).toEqual(failure(line))
  expect(requests).toEqual([])
})

test('a check says what the API would say, and sends nothing', async () => {
  const { requests, importFile } = await fakeApi()
  const rows = ['Rex,99999999999999999999,', 'Rex,1,gone', `${'x'.repeat(2000)},1,`, 'Rex,1,']

  const finished = await importFile(fileOf(`name,categoryId,status\n${rows.join('\n')}`), '--check')

  expect(finished.code).toBe(1)
  expect(finished.stdout.split('\n')).toEqual([
    expect.stringMatching(/^Line 2: categoryId must be a JSON number, /),
    'Line 3: status must be one of available, pending, sold, or omitted.',
    expect.stringMatching(/^Line 4: name must be a string of 1 to 1000 characters, /),
    'Of 4 pets, the API would refuse 3.',
    '',
  ])
  expect(requests).toEqual([])
})
