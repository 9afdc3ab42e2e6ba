import * as v from 'valibot'
import { expect, test } from 'vitest'
import { contractProblem } from '../../../infra/openapi/contract-check.ts'
import { entries, operationIds } from '../../../shared/contract.ts'
import { mustBe } from '../../../shared/model/fields.ts'
import { Int64, Int64Text } from '../../../shared/model/int64.ts'
import { Text } from '../../../shared/model/text.ts'
import type { AnyEntry } from '../../../shared/pipeline/entry.ts'

const { createPet, listPets, updatePet } = entries

/** The texts of functions. */
const functionsOf = (ids: string[]): Record<string, string> =>
  Object.fromEntries(ids.map((id) => [id, `handler = operation('${id}', …)`]))

const params = v.object({ id: v.pipe(Int64Text, v.description('The id.')) })
const field = (schema: v.GenericSchema) =>
  v.pipe(schema, mustBe('valid'), v.description('A field.'))
const secret = v.object({ secret: v.pipe(Int64, mustBe('a secret')) })

test('the service has no problem', () => {
  expect(contractProblem()).toBeUndefined()
})

test.each<[Record<string, object>, string]>([
  [
    { createPet, addPet: createPet },
    'addPet in shared/contract.ts has the method and path of createPet',
  ],
  [{ updatePet: { ...updatePet, params } }, 'the path /pets/{petId}, but its params are id'],
  [{ updatePet: { ...updatePet, params: undefined } }, 'but its params are none'],
  [
    { updatePet, getName: { ...updatePet, path: '/pets/{id}/name', params } },
    'has {id} where updatePet has {petId}',
  ],
  [
    { createPet: { ...createPet, body: v.object({ size: v.optional(v.number()) }) } },
    'createPet in shared/contract.ts has the field size without a rule',
  ],
  [{ createPet: { ...createPet, body: secret } }, 'the field secret without a description'],
  [
    { listPets: { ...listPets, query: params } },
    'has the query parameter id. Add it to the filters of pets in shared/service.ts.',
  ],
  [
    { updatePet: { ...updatePet, returns: v.object({ pets: field(v.array(secret)) }) } },
    'the field secret without a description',
  ],
  ...[
    v.any(),
    v.union([v.object({ id: v.number() }), v.string()]),
    v.optional(v.array(v.object({ inner: field(v.intersect([v.object({})])) }))),
  ].map((schema): [Record<string, object>, string] => [
    { listPets: { ...listPets, pages: v.array(v.object({ owner: field(schema) })) } },
    ' in its response, which may show stored fields. Use v.object(), and arrays of it.',
  ]),
  [
    { updatePet: { ...updatePet, returns: v.looseObject({ id: field(v.number()) }) } },
    'updatePet in shared/contract.ts has v.looseObject() in its response, which may show stored ' +
      'fields. Use v.object(), and arrays of it.',
  ],
  [
    { updatePet: { ...updatePet, returns: v.object({ id: field(v.pipe(v.string(), v.trim())) }) } },
    'updatePet in shared/contract.ts has v.trim() in its response, which has what is stored. Use it ' +
      'for requests only.',
  ],
  ...[{ pets: 'read' }, { pets: ['read', 'list'], apiKeys: 'list' }].map(
    (access): [Record<string, object>, string] => [
      { listPets: { ...listPets, access } },
      'has pages. Let its access have list, for one collection.',
    ],
  ),
])('says what is wrong with an entry: %#', (operations, problem) => {
  const contract = operations as Record<string, AnyEntry> // Some are wrong.

  expect(contractProblem({ contract, functions: functionsOf(Object.keys(contract)) })).toContain(
    problem,
  )
})

test.each([
  [
    functionsOf(operationIds.filter((id) => id !== 'listPets')),
    'functions/listPets.ts is missing. Create it: shared/contract.ts has the operation listPets.',
  ],
  [
    { ...functionsOf(operationIds), listPets: "handler = operation(\n  'getPet', …" },
    "functions/listPets.ts calls operation('getPet'). Write 'listPets'.",
  ],
  [
    { ...functionsOf(operationIds), addPet: '' },
    'functions/addPet.ts has the name of no operation in shared/contract.ts.',
  ],
])('says which function is missing, is another or has no operation: %#', (functions, problem) => {
  expect(contractProblem({ functions })).toBe(problem)
})

test.each<v.ObjectEntries>([
  {},
  { code: v.optional(v.array(v.picklist(['a', 'b']))) },
  { code: v.string() },
  { code: Text(501) },
])('refuses a filter that can be no key: %#', (fields) => {
  const stored = { pets: { fields } }

  expect(
    contractProblem({ contract: {}, functions: {}, filters: { pets: ['code'] }, stored }),
  ).toBe(
    'pets in shared/service.ts has the filter code. Let it be a field with one value, which has ' +
      'at most 500 characters if it is a text.',
  )
})

test.each([Text(500), v.picklist(['a', 'b']), v.boolean()])(
  'takes a filter on a text that fits a key: %#',
  (code) => {
    const stored = { pets: { fields: { code } } }

    expect(
      contractProblem({ contract: {}, functions: {}, filters: { pets: ['code'] }, stored }),
    ).toBeUndefined()
  },
)
