import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { LOCAL_API_KEY } from '../../infra/local/announcement.ts'
import { newApiKey } from '../../shared/model/api-key.ts'
import { refusePrintedSecrets } from './printed-secrets.ts'

const KEYS = 'node infra/keys/main.ts, stdout of process 1'
const SERVER = 'node infra/local/main.ts, stdout of process 2'
const CONSOLE = 'the console of test/functions/getPet.test.ts'

/** The folder of a run in which this was printed. */
const run = (printed: Record<string, string>): string => {
  const folder = mkdtempSync(join(tmpdir(), 'printed-'))
  for (const [source, text] of Object.entries(printed)) writeFileSync(join(folder, encodeURIComponent(source)), text)
  return folder
}

const key = newApiKey('local')
const forPeople = `API key  ${key}\nKey      key_1\n`
const forScripts = `{\n  "key": "${key}",\n  "keyId": "key_1"\n}\n`
const started = `
  Base address  http://127.0.0.1:3000/v1
  API key       ${LOCAL_API_KEY}
  Try it        curl http://127.0.0.1:3000/v1/pets -H 'Authorization: Bearer ${LOCAL_API_KEY}'

{ operation: 'listPets', status: 200 }
`

test.each([
  ['a new key, shown once to a person', { [KEYS]: forPeople }],
  ['a new key, shown once to a script', { [KEYS]: forScripts }],
  ['the documented key, which the server shows as it starts', { [SERVER]: started }],
])('lets pass %s', (_, printed) => {
  expect(() => refusePrintedSecrets(run(printed))).not.toThrow()
})

test.each([
  ['a new key that is shown twice', { [KEYS]: forPeople + forPeople }, `${KEYS}, line 3: an API key`],
  ['a new key within other text', { [KEYS]: `Stored ${forPeople}` }, `${KEYS}, line 1: an API key`],
  [
    'a new key among the errors',
    { [KEYS.replace('out', 'err')]: forPeople },
    `${KEYS.replace('out', 'err')}, line 1: an API key`,
  ],
  [
    'another key than the documented',
    { [SERVER]: started.replace(LOCAL_API_KEY, key) },
    `${SERVER}, line 3: an API key`,
  ],
  ['the documented key in a log', { [SERVER]: `${started}${LOCAL_API_KEY}` }, `${SERVER}, line 7: an API key`],
  ['a key that a function logs', { [CONSOLE]: `a\n${LOCAL_API_KEY}` }, `${CONSOLE}, line 2: an API key`],
])('refuses %s, and says where it stands, not what it is', (_, printed, place) => {
  const folder = run(printed)

  expect(() => refusePrintedSecrets(folder)).toThrow(
    new Error(`Secrets were printed. Outputs in ${folder}:\n  ${place}`),
  )
})

test('refuses a run of which nothing was kept', () => {
  expect(() => refusePrintedSecrets(join(run({}), 'nowhere'))).toThrow('ENOENT')
})
