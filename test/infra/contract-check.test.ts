import * as v from 'valibot'
import { expect, test } from 'vitest'
import { contractProblem } from '../../infra/contract-check.ts'
import { entries } from '../../shared/contract.ts'
import { mustBe } from '../../shared/model/fields.ts'
import { Int64, Int64Text } from '../../shared/model/int64.ts'
import type { Entry } from '../../shared/pipeline/entry.ts'

const { createPet, getOrder, listOrders, listPets } = entries

/** The contract with these entries in place of, or beside, its own. */
const withEntries = (changes: Record<string, object>) => ({
  contract: { ...entries, ...changes } as Record<string, Entry>, // Some are wrong.
  files: Object.keys({ ...entries, ...changes }).map((id) => `${id}.ts`),
})

const params = v.object({ id: v.pipe(Int64Text, v.description('The id.')) })
const secret = v.object({ secret: v.pipe(Int64, mustBe('a secret')) })

test('the service has no problem', () => {
  expect(contractProblem()).toBeUndefined()
})

test.each<[Record<string, object>, string]>([
  [{ createPet: { ...createPet, method: undefined } }, 'needs a method: one of GET, POST, PATCH'],
  [{ addPet: createPet }, 'addPet in shared/contract.ts has the method and path of createPet'],
  [
    { createPet: { ...createPet, path: '/docs' } },
    'the path /docs, which is that of the API reference',
  ],
  ...['/docs/', '/old pets', '/pets/{pet-id}', 'pets'].map(
    (path): [Record<string, object>, string] => [
      { createPet: { ...createPet, path } },
      `has the path ${path}. Use parts such as /pets and /{petId}, and no slash at the end.`,
    ],
  ),
  [
    { getOrder: { ...getOrder, params } },
    'the path /store/orders/{orderId}, but its params are id',
  ],
  [{ getOrder: { ...getOrder, params: undefined } }, 'but its params are none'],
  [
    { getName: { ...getOrder, path: '/store/orders/{id}/name', params } },
    'has {id} where getOrder has {orderId}',
  ],
  [
    { createPet: { ...createPet, body: v.object({ size: v.optional(v.number()) }) } },
    'createPet in shared/contract.ts has the field size without a rule',
  ],
  [{ createPet: { ...createPet, body: secret } }, 'the field secret without a description'],
  [{ getOrder: { ...getOrder, returns: secret } }, 'the field secret without a description'],
  [{ listPets: { ...listPets, pages: v.array(secret) } }, 'the field secret without a description'],
  [
    { listOrders: { ...listOrders, query: listPets.query } },
    'has the query parameter status. Add it to the filters of orders in shared/service.ts.',
  ],
  ...[{}, { pets: 'read' }, { pets: ['read', 'list'], orders: 'list' }].map(
    (access): [Record<string, object>, string] => [
      { listPets: { ...listPets, access } },
      'has pages. Let its access have list, for one collection.',
    ],
  ),
])('says what is wrong with an entry: %#', (entries, problem) => {
  expect(contractProblem(withEntries(entries))).toContain(problem)
})

test.each([
  [
    Object.keys(entries).flatMap((id) => (id === 'listPets' ? [] : [`${id}.ts`])),
    'functions/listPets.ts is missing. Create it: shared/contract.ts has the operation listPets.',
  ],
  [
    [...Object.keys(entries).map((id) => `${id}.ts`), 'addPet.ts'],
    'functions/addPet.ts has the name of no operation in shared/contract.ts.',
  ],
])('says which function is missing or has no operation: %#', (files, problem) => {
  expect(contractProblem({ files })).toBe(problem)
})

test.each([
  [{ 'my-pets': [] }, 'my-pets in shared/service.ts must be a name of letters and digits'],
  [
    { pets: ['size'] },
    'pets in shared/service.ts has the filter size, which is no field with one value',
  ],
  [
    { pets: ['tags'] },
    'pets in shared/service.ts has the filter tags, which is no field with one value',
  ],
])('says what is wrong with a collection: %o', (filters, problem) => {
  const stored = { pets: { fields: { tags: v.optional(v.array(v.string())) } } }

  expect(contractProblem({ contract: {}, files: [], filters, stored })).toContain(problem)
})

test.each(['categoryId', 'status', 'name', 'id'])('pets can be filtered by %s', (filter) => {
  expect(contractProblem({ contract: {}, files: [], filters: { pets: [filter] } })).toBeUndefined()
})
