import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'

/** An operation: its entry in the contract, and its files by name. */
type Recipe = { entry: string; files: Record<string, string> }

/** The operation that README adds. It shows the entry, the function and the test, in this order. */
const fromReadme = (): Recipe => {
  const [, section = ''] = readFileSync('README.md', 'utf8').split('## Adding an operation')
  const [entry = '', source = '', tests = ''] = [...section.matchAll(/^ {3}```ts\n(.*?)^ {3}```$/gms)].map(
    ([, code = '']) => code.replaceAll(/^ {3}/gm, ''),
  )
  const [file = '', testFile = ''] = [...section.matchAll(/`((?:functions|test)\/[\w/.-]+\.ts)`/g)].map(
    ([, name]) => name,
  )
  return { entry, files: { [file]: source, [testFile]: tests } }
}

const renamePet: Recipe = {
  entry: `renamePet: {
  method: 'PATCH',
  path: '/pets/{petId}/name',
  summary: 'Rename a pet',
  tag: 'Pets',
  scope: 'pets:write',
  params: v.object({ petId: Int64Text }),
  body: v.object({ name: NewPet.entries.name }),
  success: { status: 200, body: Pet },
  access: [{ table: 'pets', actions: ['UpdateItem'] }],
},
`,
  files: {
    'functions/renamePet.ts': `import * as pets from '../shared/data/pets.ts'
import { notFound } from '../shared/model/api-error.ts'
import { operation } from '../shared/operation.ts'

/** \`PATCH /pets/{petId}/name\`: renames a pet. */
export const handler = operation('renamePet', async ({ petId, name }) => {
  const pet = await pets.change(petId, { name })
  if (!pet) throw notFound(\`No pet has the id \${petId}.\`)
  return { body: pet }
})
`,
    'test/api/rename-pet.test.ts': `import { expect, test } from 'vitest'
import { call, created } from '../support/api.ts'

const headers = { 'Content-Type': 'application/json' }

test('renames a pet', async () => {
  const pet = await created({ name: 'Rex', categoryId: 7, status: 'sold' })

  const response = await call({ method: 'PATCH', path: \`/pets/\${pet.id}/name\`, headers, body: '{"name":"Max"}' })

  expect([response.status, response.body]).toEqual([200, { ...pet, name: 'Max' }])
})
`,
  },
}

const clearStatus: Recipe = {
  entry: `clearStatus: {
  method: 'DELETE',
  path: '/pets/{petId}/status',
  summary: 'Remove the status of a pet',
  tag: 'Pets',
  scope: 'pets:write',
  stability: 'beta',
  params: v.object({ petId: Int64Text }),
  success: { status: 204 },
  access: [{ table: 'pets', actions: ['UpdateItem'] }],
},
`,
  files: {
    'functions/clearStatus.ts': `import * as pets from '../shared/data/pets.ts'
import { notFound } from '../shared/model/api-error.ts'
import { operation } from '../shared/operation.ts'

/** \`DELETE /pets/{petId}/status\`: removes the status of a pet. */
export const handler = operation('clearStatus', async ({ petId }) => {
  if (!(await pets.change(petId, { status: null }))) throw notFound(\`No pet has the id \${petId}.\`)
  return {}
})
`,
    'test/api/clear-status.test.ts': `import { expect, test } from 'vitest'
import { call, created } from '../support/api.ts'

test('removes the status of a pet', async () => {
  const { status, ...pet } = await created({ name: 'Rex', categoryId: 7, status: 'sold' })

  const response = await call({ method: 'DELETE', path: \`/pets/\${pet.id}/status\` })

  expect([response.status, response.text]).toEqual([204, ''])
  expect((await call({ path: \`/pets/\${pet.id}\` })).body).toEqual(pet)
})
`,
  },
}

const createOrder: Recipe = {
  entry: `createOrder: {
  method: 'POST',
  path: '/orders',
  summary: 'Order a pet',
  tag: 'Orders',
  scope: 'pets:write',
  body: v.object({ petId: v.pipe(v.number(), v.integer(), v.description('the id of a pet')) }),
  success: { status: 202, body: v.object({ orders: v.number() }) },
  access: [{ table: 'pets', actions: ['UpdateItem'] }],
},
`,
  files: {
    'shared/data/orders.ts': `import { updateIf, withinBudget } from './dynamodb.ts'
import { tableName } from './tables.ts'

/** Adds an order of a pet, and returns how many there are; \`undefined\` if no pet has that id. */
export const add = (id: number): Promise<number | undefined> =>
  withinBudget(async (options) => {
    const pet = await updateIf(
      {
        TableName: tableName('pets'),
        Key: { id },
        UpdateExpression: 'ADD orders :one',
        ConditionExpression: 'attribute_exists(#shard)',
        ExpressionAttributeNames: { '#shard': 'shard' },
        ExpressionAttributeValues: { ':one': 1 },
        ReturnValues: 'UPDATED_NEW',
      },
      options,
    )
    return pet?.orders
  })
`,
    'functions/createOrder.ts': `import * as orders from '../shared/data/orders.ts'
import { badRequest } from '../shared/model/api-error.ts'
import { operation } from '../shared/operation.ts'

/** \`POST /orders\`: orders a pet. */
export const handler = operation('createOrder', async ({ petId }) => {
  const count = await orders.add(petId)
  if (count === undefined) throw badRequest(\`No pet has the id \${petId}.\`)
  return { body: { orders: count } }
})
`,
    'test/api/create-order.test.ts': `import { expect, test } from 'vitest'
import { call, created } from '../support/api.ts'

const headers = { 'Content-Type': 'application/json' }

test('orders a pet', async () => {
  const pet = await created({ name: 'Rex', categoryId: 7, status: 'sold' })

  const response = await call({ method: 'POST', path: '/orders', headers, body: JSON.stringify({ petId: pet.id }) })

  expect([response.status, response.body]).toEqual([202, { orders: 1 }])
})

test('refuses an order of a pet that does not exist', async () => {
  const response = await call({ method: 'POST', path: '/orders', headers, body: '{"petId":1}' })

  expect([response.status, response.body]).toMatchObject([400, { message: 'No pet has the id 1.' }])
})
`,
  },
}

const copy = mkdtempSync(join(tmpdir(), 'pet-store-recipe-'))
afterAll(() => rmSync(copy, { recursive: true, force: true }))

beforeAll(() => {
  const files = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    encoding: 'utf8',
  })
  for (const file of files.split('\0').filter(Boolean)) cpSync(file, join(copy, file))
  symlinkSync(join(process.cwd(), 'node_modules'), join(copy, 'node_modules'))
  const contract = join(copy, 'shared/contract.ts')
  for (const { entry, files } of [fromReadme(), renamePet, clearStatus, createOrder]) {
    const indented = entry.replaceAll(/^(?=.)/gm, '  ')
    writeFileSync(
      contract,
      readFileSync(contract, 'utf8').replace('} as const satisfies', () => `${indented}} as const satisfies`),
    )
    for (const [name, text] of Object.entries(files)) writeFileSync(join(copy, name), text)
  }
})

test.each([
  ['types', 'run types'],
  ['lint rules and format', 'run lint'],
  ['tests', 'test'],
  ['synthesis', 'exec -- cdk synth --quiet'],
])('four operations of different methods, each an entry, a file and a test, pass: %s', (_, command) => {
  const env = { PATH: process.env.PATH, HOME: process.env.HOME } // Without the variables of vitest.

  const { status, stdout, stderr } = spawnSync('npm', command.split(' '), { cwd: copy, encoding: 'utf8', env })

  expect(status, `${stdout}${stderr}`.slice(-20_000)).toBe(0)
})
