import { readFileSync } from 'node:fs'
import { beforeAll, test } from 'vitest'
import { blocksOf, type Change, copyOfRepository } from './copy.ts'

/** A section of functions/README.md: the changes that it shows, and its commands. */
const section = (title: string): { changes: Change[]; commands: string } => {
  const [, rest = ''] = readFileSync('functions/README.md', 'utf8').split(`## ${title}\n`)
  const blocks = blocksOf(rest.split('\n## ')[0] ?? '')
  const commands = blocks.filter(({ language }) => language === 'sh').map(({ text }) => text)
  return { changes: blocks.filter(({ file }) => file), commands: commands.join('') }
}

/**
 * An operation at a literal path beside one with a parameter, with an error, a list parameter, a
 * setting, a scope and a table.
 */
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
  query: v.object({ with: v.optional(v.pipe(v.array(v.picklist(['a', 'b'])), v.description('a list of a, b'))) }),
  success: { status: 202, body: v.object({ with: v.array(v.string()) }) },
  errors: { 409: 'Pet 7 is out for a walk.' },
  settings: ['walkMinutes'],
  access: { walks: 'change' },
},
`,
  },
  {
    file: 'shared/settings.ts',
    text: "walkMinutes: { variable: 'WALK_MINUTES', default: '30' },\n",
  },
  {
    file: 'shared/data/tables.ts',
    text: "walks: { partitionKey: { name: 'id', type: 'N' }, indexes: {}, timeToLive: 'expiresAt' },\n",
  },
  {
    file: 'functions/walkPet.ts',
    text: `import { conflict } from '../shared/model/api-error.ts'
import { operation } from '../shared/pipeline/operation.ts'

/** \`POST /pets/walks/{petId}\`: takes a pet for a walk. */
export const handler = operation('walkPet', async ({ tx, params: { petId }, query, settings }) => {
  const key = { table: 'walks', value: petId } as const
  const walk = await tx.read(key)
  if (walk) throw conflict(\`Pet \${petId} is out for a walk.\`)
  tx.put(key, { expiresAt: Math.floor(Date.now() / 1000) + 60 * Number(settings.walkMinutes) })
  return { with: query.with ?? [] }
})
`,
  },
  {
    file: 'test/api/walk-pet.test.ts',
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

/** An operation on owners, with an entry and a function as those of an operation on pets. */
const asOfPets = (id: string): Change[] => {
  const [entry = ''] = entryOf(id).exec(readFileSync('shared/contract.ts', 'utf8')) ?? []
  const general = entry
    .replace(/^ {4}deprecated: \{\n[^}]*\},\n/m, '')
    .replaceAll(/^.*status: v.*\n|^ {2}/gm, '')
  const file = `functions/${id}.ts`
  return [
    { file: 'shared/contract.ts', text: renamed(general) },
    { file: renamed(file), text: renamed(readFileSync(file, 'utf8')) },
  ]
}

const renamed = (text: string): string =>
  text
    .replaceAll('PetIdText', 'IdText')
    .replaceAll('Pet', 'Owner')
    .replaceAll(/pet|animal/g, 'owner')

const entryOf = (id: string): RegExp => new RegExp(`^ {2}${id}: \\{\\n.*?^ {2}\\},\\n`, 'ms')

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

const { edit, add, run } = copyOfRepository()

beforeAll(() => {
  const owners = ['createPet', 'listPets', 'getPet'].flatMap(asOfPets)
  const fromReadme = [
    ...section('Adding an operation').changes,
    ...section('Adding a resource').changes,
  ]
  for (const change of [...fromReadme, ...owners, testOfOwners, ...operation]) add(change)
  add({ file: 'shared/service.ts', text: 'owners: [],\n' })
  const scopes = "'owners:read', 'owners:write', 'walks:write', "
  const imports =
    "import { IdText } from './model/id.ts'\nimport { NewOwner, Owner, Owners } from './owners/owner.ts'\n"
  const noTexts = '{ operations: {}, fields: {}, parameters: {} }'
  add({ file: 'shared/owners/texts.ts', text: `export const ownerTexts = ${noTexts}\n` })
  edit('shared/resources.ts', (text) =>
    text
      .replace(
        /^(?=import .*pets\.ts)/m,
        "import { owners } from './owners/owners.ts'\nimport { ownerTexts } from './owners/texts.ts'\n",
      )
      .replace(/^(?= {2}pets: )/m, '  owners: { collection: owners, texts: ownerTexts },\n'),
  )
  edit('shared/service.ts', (text) =>
    text.replace(/^export const scopes = \[/m, (start) => start + scopes),
  )
  edit('shared/contract.ts', (text) =>
    text.replace(/^(?=import .*pet\.ts)/m, imports).replace(entryOf('getPet'), ''),
  )
  edit('shared/pets/texts.ts', (text) => text.replace(/^ {4}getPet:\n.*\n/m, ''))
  run('npm run format')
  run(section('Adding a resource').commands + section('Removing an operation').commands)
})

// The commands above run test/infra. No recipe changes the machinery.
const tests = 'npm test -- test/api test/readme'

test.each(['npm run types', 'npm run lint', tests])(
  'after the recipes that add operations, a setting and a resource, and remove an operation, this passes: %s',
  (command) => run(command),
)
