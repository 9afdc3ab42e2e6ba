import { spawnSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { expect, test } from 'vitest'

// A copy of the repository, in which functions work.
const folder = mkdtempSync(join(tmpdir(), 'recipe-'))
const left = ['.git', 'cdk.out', 'node_modules']
cpSync('.', folder, { recursive: true, filter: (name) => !left.includes(basename(name)) })
symlinkSync(join(process.cwd(), 'node_modules'), join(folder, 'node_modules'))

/** A new file, or entries for a file that is a table, such as the contract. */
type Change = { file: string; text: string }

/** A section of functions/README.md: the changes that it shows, and its commands. */
const section = (title: string): { changes: Change[]; commands: string } => {
  const [, rest = ''] = readFileSync('functions/README.md', 'utf8').split(`## ${title}\n`)
  const [own = ''] = rest.split('\n## ')
  const blocks = [...own.matchAll(/^( *)```(\S+) ?([^\n]*)\n(.*?)^\1```$/gms)].map(
    ([, indent = '', language = '', file = '', text = '']) => {
      return { language, file, text: text.replaceAll(new RegExp(`^${indent}`, 'gm'), '') }
    },
  )
  const commands = blocks.filter(({ language }) => language === 'sh').map(({ text }) => text)
  return { changes: blocks.filter(({ file }) => file), commands: commands.join('') }
}

const edit = (file: string, change: (text: string) => string): void => {
  const text = readFileSync(join(folder, file), 'utf8')
  expect(change(text), `Nothing changes in ${file}.`).not.toBe(text)
  writeFileSync(join(folder, file), change(text))
}

/** Creates a file, or adds entries to a table, at its start. */
const add = ({ file, text }: Change): void => {
  mkdirSync(join(folder, dirname(file)), { recursive: true })
  const start = /^export const (contract|collections) = \{\n/m
  if (existsSync(join(folder, file)))
    edit(file, (table) => table.replace(start, (line) => line + text))
  else writeFileSync(join(folder, file), text)
}

/** Runs shell commands in the copy, without the variables of vitest. */
const run = (commands: string): void => {
  const env = { PATH: process.env.PATH, HOME: process.env.HOME }
  const options = { cwd: folder, encoding: 'utf8', env } as const
  const { status, stdout, stderr } = spawnSync('bash', ['-ec', commands], options)
  expect(status, `${commands}\n${`${stdout}${stderr}`.slice(-20_000)}`).toBe(0)
}

/** An operation on owners, with an entry and a function as those of an operation on pets. */
const asOfPets = (id: string): Change[] => {
  const [entry = ''] = entryOf(id).exec(readFileSync('shared/contract.ts', 'utf8')) ?? []
  const general = entry
    .replace(/^ {4}deprecated: \{\n[^}]*\},\n/m, '')
    .replaceAll(/^.*status: v.*\n/gm, '')
  const file = `functions/${id}.ts`
  return [
    { file: 'shared/contract.ts', text: renamed(general) },
    { file: renamed(file), text: renamed(readFileSync(file, 'utf8')) },
  ]
}

const entryOf = (id: string): RegExp => new RegExp(`^ {2}${id}: \\{\\n.*?^ {2}\\},\\n`, 'ms')

const renamed = (text: string): string =>
  text
    .replaceAll('PetIdText', 'IdText')
    .replaceAll('Pet', 'Owner')
    .replaceAll(/pet|animal/g, 'owner')

const testOfOwners: Change = {
  file: 'test/api/owners.test.ts',
  text: `import { expect, test } from 'vitest'
import { call } from '../support/api.ts'

test('adds, gets and lists owners', async () => {
  const headers = { 'Content-Type': 'application/json' }

  const { body, headers: { location } } = await call({ method: 'POST', path: '/owners', headers, body: '{"name":"Ann"}' })

  expect((await call({ path: String(location).slice(3) })).body).toEqual(body)
  await expect.poll(async () => (await call({ path: '/owners?limit=1' })).body).toEqual([body])
})
`,
}

/** What functions/README says in words of the resource that it adds. */
const addOwners = (): void => {
  add({ file: 'shared/service.ts', text: 'owners: [],\n' })
  edit('shared/service.ts', (text) =>
    text.replace(
      /^export const scopes = \[/m,
      (start) => `${start}'owners:read', 'owners:write', `,
    ),
  )
  const noTexts = '{ operations: {}, fields: {}, parameters: {} }'
  add({ file: 'shared/owners/texts.ts', text: `export const ownerTexts = ${noTexts}\n` })
  const imports =
    "import { owners } from './owners/owners.ts'\nimport { ownerTexts } from './owners/texts.ts'\n"
  edit('shared/resources.ts', (text) =>
    text
      .replace(/^(?=import .*pets\.ts)/m, imports)
      .replace(/^(?= {2}pets: )/m, '  owners: { collection: owners, texts: ownerTexts },\n'),
  )
  edit('shared/contract.ts', (text) =>
    text.replace(
      /^(?=import .*pet\.ts)/m,
      "import { IdText } from './model/id.ts'\nimport { NewOwner, Owner, Owners } from './owners/owner.ts'\n",
    ),
  )
}

/** What functions/README says in words of the operation that it removes. */
const removeGetPet = (): void => {
  edit('shared/contract.ts', (text) => text.replace(entryOf('getPet'), ''))
  edit('shared/pets/texts.ts', (text) => text.replace(/^ {4}getPet:\n.*\n/m, ''))
}

test('who adds an operation and a resource and removes an operation, as functions/README says, passes all checks', () => {
  const [operation, resource] = [section('Adding an operation'), section('Adding a resource')]
  const ofOwners = ['createPet', 'listPets', 'getPet'].flatMap(asOfPets)

  for (const change of [...operation.changes, ...resource.changes, ...ofOwners, testOfOwners])
    add(change)
  addOwners()
  removeGetPet()
  run('npm run format')
  run(resource.commands + section('Removing an operation').commands)

  run('npm run check')
})
