import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { Pet } from '../../../shared/pets/pet.ts'
import { proxy } from '../../support/database.ts'
import { type Fate, serveFake } from '../../support/fake-api.ts'
import { failure, runCommand, startCommand } from '../../support/run-command.ts'
import { exampleCredentials } from '../../support/secrets.ts'
import { startTestServer, temporaryFolder } from '../../support/server.ts'

const PETS = [
  String.raw`{"id":2,"name":"\\ \"Re,x\"","categoryId":9223372036854775807,"status":"sold"}`,
  '{"id":1,"name":"\u2028","categoryId":-9007199254740993}',
]

const page = (...items: string[]) => ({ status: 200, body: `[${items}]` })
const link = { Link: '<http://203.0.113.1/v1/pets?limit=100&cursor=AAAA>; rel="next"' }

const env = { AWS_ENDPOINT_URL_DYNAMODB: proxy.endpoint, ...exampleCredentials }

/** An API that sends these responses, and the export of it. */
const fakeApi = async (...fates: Fate[]) => {
  const { baseUrl, requests } = await serveFake(...fates)
  const { port } = new URL(baseUrl)
  const start = (...args: string[]) =>
    startCommand('commands/export', [...args, '--stage', 'local', '--port', port], env)
  return { requests, start }
}
/** Two pages, of which the first names another host for the second. */
const pages: Fate[] = [{ ...page(`${PETS[0]}`), headers: link }, page(`${PETS[1]}`)]

test('writes all pages as they are, and takes only the cursor from a link', async () => {
  const { requests, start } = await fakeApi(...pages)

  const finished = await start('pets').exited

  expect(finished).toEqual({ code: 0, stdout: PETS.map((pet) => `${pet}\n`).join(''), stderr: '' })
  const paths = ['/v1/pets?limit=100', '/v1/pets?limit=100&cursor=AAAA']
  expect(requests.map(({ path }) => path)).toEqual(paths)
})

test('writes CSV with a header, and absent fields as empty cells', async () => {
  const { start } = await fakeApi(...pages)

  const { stdout } = await start('pets', '--format', 'csv').exited

  const names = Object.keys(Pet.entries)
  const line = (cells: Record<string, string>) => names.map((name) => cells[name] ?? '').join(',')
  const first = { id: '2', name: String.raw`"\ ""Re,x"""`, categoryId: `${2n ** 63n - 1n}` }
  expect(stdout.split('\r\n')).toEqual([
    names.join(','),
    line({ ...first, status: 'sold' }),
    line({ id: '1', name: '\u2028', categoryId: '-9007199254740993' }),
    '',
  ])
})

test('ends without an error when its reader has enough', async () => {
  const { start } = await fakeApi({ ...page(...Array(100).fill(PETS[1])), headers: link })
  const { child, exited } = start('pets')
  await once(child.stdout, 'data')

  child.stdout.destroy()

  expect(await exited).toMatchObject({ code: 0, stderr: '' })
})

test('a full disk ends it with a sentence', async () => {
  const { baseUrl } = await serveFake(page(`${PETS[0]}`))
  const { port } = new URL(baseUrl)
  const full = ['-c', 'exec "$0" "$@" > /dev/full', process.execPath, 'infra/commands/export.ts']
  const args = [...full, 'pets', '--stage', 'local', '--port', port]

  const finished = promisify(execFile)('sh', args, { env })

  await expect(finished).rejects.toMatchObject({
    stderr: 'Standard output cannot be written: ENOSPC: no space left on device, write\n',
  })
})

test('an error of the API ends it with a sentence', async () => {
  const body = '{"code":"bad_request","message":"Made by the test.","status":400}'
  const { start } = await fakeApi({ status: 400, body })

  const finished = await start('orders').exited

  expect(finished).toEqual(failure('The API refused a page: Made by the test.'))
})

test.each(['jsonl', 'csv'])('what it writes as %s can be imported', async (format) => {
  const server = await startTestServer([])
  const target = ['--stage', 'local', '--port', new URL(server.baseUrl).port]
  const file = join(temporaryFolder(), `pets.${format}`)
  const withoutIds = (text: string) =>
    text
      .trimEnd()
      .replaceAll(/"id":\d+,/g, '')
      .split('\n')

  const exported = await runCommand('commands/export', ['pets', ...target, '--format', format])
  writeFileSync(file, exported.stdout)
  const imported = await runCommand('commands/import', [file, ...target, '--in-flight', '1'])
  const all = await runCommand('commands/export', ['pets', ...target])

  expect(imported).toMatchObject({ code: 0, stdout: 'Of 51 pets: 51 added, 0 refused.\n' })
  const pets = withoutIds(all.stdout)
  expect(pets).toHaveLength(102)
  expect(pets.slice(0, 51).toReversed()).toEqual(pets.slice(51))
})
