import * as v from 'valibot'
import { expect, test } from 'vitest'
import { contractProblem } from '../../infra/contract-check.ts'
import { entries } from '../../shared/contract.ts'
import { mustBe } from '../../shared/model/fields.ts'
import { Int64, Int64Text } from '../../shared/model/int64.ts'
import { Text } from '../../shared/model/text.ts'
import type { AnyEntry } from '../../shared/pipeline/entry.ts'

const { createPet, getOrder, listOrders, listPets } = entries

/** The contract with these entries in place of, or beside, its own. */
const withEntries = (changes: Record<string, object>) => ({
  contract: { ...entries, ...changes } as Record<string, AnyEntry>, // Some are wrong.
  files: Object.keys({ ...entries, ...changes }).map((id) => `${id}.ts`),
})

const params = v.object({ id: v.pipe(Int64Text, v.description('The id.')) })
const field = (schema: v.GenericSchema) =>
  v.pipe(schema, mustBe('valid'), v.description('A field.'))
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
  ...['/docs/', '/pets/', '/my pets', '/pets/{x-y}', '/pets//all', '/pets/..', '/pets?x', '/é'].map(
    (path): [Record<string, object>, string] => [
      { createPet: { ...createPet, path } },
      `createPet in shared/contract.ts has the path ${path}. Each of its parts must be a slash, ` +
        'and letters, digits, ., _ and - or a parameter such as {petId}.',
    ],
  ),
  ...[v.boolean(), v.number(), v.optional(v.bigint()), v.literal(true), v.array(v.string())].map(
    (schema): [Record<string, object>, string] => [
      { listOrders: { ...listOrders, query: v.object({ complete: field(schema) }) } },
      'listOrders in shared/contract.ts has the parameter complete, which cannot be text, as ' +
        'parameters are. Begin its schema with v.string() or v.picklist(), or use BooleanText ' +
        'or Int64Text.',
    ],
  ),
  [
    { getOrder: { ...getOrder, params: v.object({ orderId: field(v.number()) }) } },
    'getOrder in shared/contract.ts has the parameter orderId, which cannot be text',
  ],
  ...[
    v.record(v.string(), v.number()),
    v.tuple([v.number()]),
    v.union([v.object({ id: v.number() }), v.string()]),
    v.looseObject({ id: v.number() }),
    v.lazy(() => v.object({})),
    v.optional(v.array(v.object({ inner: v.intersect([v.object({})]) }))),
  ].map((schema): [Record<string, object>, string] => [
    { listPets: { ...listPets, pages: v.array(v.object({ owner: field(schema) })) } },
    ', from which fields that are stored, but not in the schema, cannot be left out.',
  ]),
  [
    { getOrder: { ...getOrder, returns: v.object({ sizes: field(v.map(v.any(), v.any())) }) } },
    'getOrder in shared/contract.ts has a response with a schema of the kind map, from which fields that are ' +
      'stored, but not in the schema, cannot be left out. Use v.object(), and arrays of it.',
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

test.each([
  v.string(),
  Text(501),
  v.optional(v.pipe(v.string(), v.maxLength(501), v.description('A code.'))),
  v.nullable(v.union([v.number(), v.string()])),
])('refuses a filter on a text that may be too long for a key: %#', (code) => {
  const stored = { pets: { fields: { code } } }

  expect(contractProblem({ contract: {}, files: [], filters: { pets: ['code'] }, stored })).toBe(
    'pets in shared/service.ts has the filter code, whose text may be too long for a key of ' +
      'DynamoDB. Let it have at most 500 characters.',
  )
})

test.each([
  v.pipe(Text(500), v.description('A code.')),
  v.pipe(v.string(), v.maxLength(900), v.maxLength(20)),
  v.picklist(['a', 'b']),
  v.boolean(),
])('takes a filter on a text that fits a key: %#', (code) => {
  const stored = { pets: { fields: { code } } }

  expect(
    contractProblem({ contract: {}, files: [], filters: { pets: ['code'] }, stored }),
  ).toBeUndefined()
})

test.each(['categoryId', 'status', 'id'])('pets can be filtered by %s', (filter) => {
  expect(contractProblem({ contract: {}, files: [], filters: { pets: [filter] } })).toBeUndefined()
})
