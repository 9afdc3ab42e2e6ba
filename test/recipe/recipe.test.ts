import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'

/** Text for a file: all of a new one, or more of a file that is a table, such as the contract. */
type Change = { file: string; text: string }

/** A section of functions/README.md: the changes that it shows, and its commands. */
const section = (title: string): { changes: Change[]; commands: string } => {
  const [, rest = ''] = readFileSync('functions/README.md', 'utf8').split(`## ${title}\n`)
  const blocks = [...(rest.split('\n## ')[0] ?? '').matchAll(/^( *)```(\S+) ?([^\n]*)\n(.*?)^\1```$/gms)].map(
    ([, indent, language, file = '', text = '']) => ({
      language,
      file,
      text: text.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
    }),
  )
  const commands = blocks.filter(({ language }) => language === 'sh').map(({ text }) => text)
  return { changes: blocks.filter(({ file }) => file), commands: commands.join('') }
}

/** An operation at a literal path beside one with a parameter, with an error, a list parameter, a setting, a scope and a table. */
const operation: Change[] = [
  {
    file: 'shared/contract.ts',
    text: `walkPet: {
  method: 'POST',
  path: '/pets/walks/{petId}',
  summary: 'Walk a pet',
  tag: 'Walks',
  scope: 'walks:write',
  params: v.object({ petId: PetIdText }),
  query: v.object({ with: v.optional(v.pipe(v.array(v.string()), v.description('texts'))) }),
  success: { status: 202, body: v.object({ with: v.array(v.string()) }) },
  errors: { 409: 'Pet 7 is out for a walk.' },
  settings: ['walkMinutes'],
  access: [{ table: 'walks', actions: ['GetItem', 'PutItem'] }],
},
`,
  },
  { file: 'shared/settings.ts', text: "walkMinutes: { variable: 'WALK_MINUTES', local: '30' },\n" },
  {
    file: 'shared/data/tables.ts',
    text: "walks: { partitionKey: { name: 'petId', type: 'N' }, indexes: {}, timeToLive: 'expiresAt' },\n",
  },
  {
    file: 'functions/walkPet.ts',
    text: `import { transaction } from '../shared/data/transaction.ts'
import { conflict } from '../shared/model/api-error.ts'
import { operation } from '../shared/operation.ts'

/** \`POST /pets/walks/{petId}\`: takes a pet for a walk. */
export const handler = operation('walkPet', ({ params: { petId }, query, settings }) =>
  transaction(async (open) => {
    const key = { table: 'walks', value: petId } as const
    const [walk] = await open.read(key)
    if (walk) throw conflict(\`Pet \${petId} is out for a walk.\`)
    open.put(key, { petId, expiresAt: Math.floor(Date.now() / 1000) + 60 * Number(settings.walkMinutes) })
    return { with: query.with ?? [] }
  }),
)
`,
  },
  {
    file: 'test/api/walks.test.ts',
    text: `import { expect, test } from 'vitest'
import { call, created } from '../support/api.ts'

test('takes a pet for a walk once', async () => {
  const { id } = await created({ name: 'Rex', categoryId: 7 })
  const walk = { method: 'POST', path: \`/pets/walks/\${id}?with=a&with=b\` }

  const responses = [await call(walk), await call(walk)]

  expect(responses.map(({ status }) => status)).toEqual([202, 409])
  expect(responses[0]?.body).toEqual({ with: ['a', 'b'] })
})
`,
  },
]

/** An operation on owners, with an entry and a function as those of an operation on pets, but for what only pets have. */
const asOfPets = (id: string): Change[] => {
  const [entry = ''] = entryOf(id).exec(readFileSync('shared/contract.ts', 'utf8')) ?? []
  const general = entry.replaceAll(/^.*(deprecated:|stability:|byStatus|status: v|HELD|'orders').*\n/gm, '')
  return [
    { file: 'shared/contract.ts', text: renamed(general.replaceAll(/^ {2}/gm, '')) },
    { file: renamed(`functions/${id}.ts`), text: renamed(readFileSync(`functions/${id}.ts`, 'utf8')) },
  ]
}

const renamed = (text: string): string =>
  text
    .replaceAll('PetIdText', 'IdText')
    .replaceAll('Pet', 'Owner')
    .replaceAll(/pet(?!s:)|animal/g, 'owner')

const entryOf = (id: string): RegExp => new RegExp(`^ {2}${id}: \\{\\n.*?^ {2}\\},\\n`, 'ms')

const testOfOwners: Change = {
  file: 'test/api/owners.test.ts',
  text: `import { expect, test } from 'vitest'
import { call } from '../support/api.ts'

const send = (method: string, path: string, headers: Record<string, string> = {}, body = '') =>
  call({ method, path, headers: { 'Content-Type': 'application/json', ...headers }, ...(body && { body }) })

test('adds, lists, changes and deletes owners', async () => {
  const key = { 'Idempotency-Key': 'owners-1' }

  const first = await send('POST', '/owners', key, '{"name":"Ann"}')
  const again = await send('POST', '/owners', key, '{"name":"Ann"}')
  await send('POST', '/owners', {}, '{"name":"Bob"}')
  const path = String(first.headers.location).replace(/^.*(?=.owners)/, '')
  const match = { 'If-Match': String(first.headers.etag) }
  const changed = await send('PATCH', path, match, '{"name":"Eve"}')
  const late = [await send('PATCH', path, match, '{"name":"Tom"}'), await send('DELETE', path, match)]
  const deleted = await send('DELETE', path, { 'If-Match': String(changed.headers.etag) })

  expect(again).toMatchObject({ status: 201, body: first.body, headers: { 'idempotent-replayed': 'true' } })
  expect(changed).toMatchObject({ status: 200, body: { name: 'Eve' } })
  expect(late.map(({ status }) => status)).toEqual([412, 412])
  expect([deleted.status, (await send('GET', path)).status]).toEqual([204, 404])
  await expect.poll(async () => (await send('GET', '/owners?limit=1')).body).toMatchObject([{ name: 'Bob' }])
})
`,
}

const copy = mkdtempSync(join(tmpdir(), 'pet-store-recipe-'))

const edit = (name: string, change: (text: string) => string): void => {
  const text = readFileSync(join(copy, name), 'utf8')
  expect(change(text), `The recipe changes nothing in ${name}.`).not.toBe(text)
  writeFileSync(join(copy, name), change(text))
}

/** Runs a command in the copy, without the variables of vitest. */
const run = (command: string, args: string[]): void => {
  const env = { PATH: process.env.PATH, HOME: process.env.HOME }
  const { status, stdout, stderr } = spawnSync(command, args, { cwd: copy, encoding: 'utf8', env })
  expect(status, `${command} ${args.join(' ')}\n${`${stdout}${stderr}`.slice(-20_000)}`).toBe(0)
}

/** Creates a file, or adds entries to a table, at its start. */
const add = ({ file, text }: Change): void => {
  mkdirSync(join(copy, dirname(file)), { recursive: true })
  if (!existsSync(join(copy, file))) return void writeFileSync(join(copy, file), text)
  const entries = text.replaceAll(/^(?=.)/gm, '  ')
  edit(file, (table) =>
    table.replace(/^export const (contract|settings|tables|collections) = \{\n/m, (start) => start + entries),
  )
}

beforeAll(() => {
  const left = ['.git', 'cdk.out', 'node_modules']
  cpSync('.', copy, { recursive: true, filter: (name) => !left.includes(basename(name)) })
  symlinkSync(join(process.cwd(), 'node_modules'), join(copy, 'node_modules'))

  const owners = ['createPet', 'listPets', 'getPet', 'updatePet', 'deletePet'].flatMap(asOfPets)
  const fromReadme = [...section('Adding an operation').changes, ...section('Adding a resource').changes]
  const name = { file: 'shared/service.ts', text: 'owners: [],\n' }
  for (const change of [...fromReadme, name, ...owners, testOfOwners, ...operation]) add(change)
  const imports =
    "import { IdText } from './model/id.ts'\nimport { NewOwner, Owner, OwnerChanges, Owners } from './owners/owner.ts'\n"
  edit('shared/contract.ts', (text) => text.replace(/^(?=import .*pet\.ts)/m, imports).replace(entryOf('getPet'), ''))
  edit('shared/service.ts', (text) => text.replace(/^export const scopes = \[/m, "$&'walks:write', "))
  edit('shared/pets/texts.ts', (text) => text.replace(/^ {2}getPet:\n.*\n/m, ''))
  edit('README.md', (text) => text.replace(/^\| `getPet`.*\n/m, '').replace(/^Read a pet\..*^(?=Change)/ms, ''))
  run('npm', ['run', 'format'])
  run('bash', ['-ec', section('Removing an operation').commands])
})

test.each([
  ['types', 'run types'],
  ['lint rules and format', 'run lint'],
  ['tests', 'test'],
  ['synthesis', 'exec -- cdk synth --quiet'],
])(
  'after the recipes that add operations, a setting and a resource, and remove an operation, they pass: %s',
  (_, command) => {
    run('npm', command.split(' '))
  },
)
