import * as v from 'valibot'
import { describe, expect, test } from 'vitest'
import { badRequest } from '../../../shared/model/api-error.ts'
import { Id } from '../../../shared/model/id.ts'
import { Filters } from '../../../shared/model/paging.ts'
import type { Entry } from '../../../shared/pipeline/entry.ts'
import type { Event } from '../../../shared/pipeline/http.ts'
import { fieldRules, requestParser } from '../../../shared/pipeline/input.ts'
import { eventOf } from '../../support/events.ts'
import { example } from '../../support/example.ts'

const text = v.pipe(v.string(), v.description('a text'))
const number = v.pipe(v.number(), v.description('a number'))

const entry = {
  method: 'PUT',
  path: '/toys/{id}',
  summary: 'Paint a toy',
  tag: 'Toys',
  scope: example.scopes.write,
  params: v.object({ id: text }),
  query: v.object({
    id: v.optional(text),
    color: v.optional(v.pipe(v.array(text), v.description('texts'))),
  }),
  headers: v.object({ 'X-Brush': text }),
  body: v.object({
    id: number,
    size: number,
    color: v.nullish(text),
    paint: v.optional(v.nullable(text)),
  }),
  success: { status: 204 },
  access: {},
} as const satisfies Entry

const caller = { keyId: 'key-1', clientId: 'ann', scopes: [] }
const parse = (event: Event) => requestParser('paintToy', entry)(event, caller).input

const request = ({
  body = { id: 7, size: 1 },
  query = {},
  headers = { 'x-brush': 'fine' } as Record<string, string>,
}) => ({
  ...eventOf(example.events.create, { query, headers }),
  pathParameters: { id: 'a' },
  body: body as never, // As `jsonBody` leaves it.
})

test('keeps values of the same name in different parts apart', () => {
  const input = parse(request({ query: { id: 'b' } }))

  expect(input).toMatchObject({
    params: { id: 'a' },
    query: { id: 'b' },
    headers: { 'X-Brush': 'fine' },
    body: { id: 7, size: 1 },
  })
})

test.each([[['red']], [['red', 'blue']], [undefined]])(
  'a parameter whose schema is a list is one: %j',
  (color) => {
    expect(parse(request({ query: { color } })).query).toEqual({ color })
  },
)

test('checks of a query hold beside pages, also of a pipe in a pipe', () => {
  const query = v.pipe(
    Filters({ color: v.optional(text), size: v.optional(text) }),
    v.check(({ color }) => color !== 'red', 'The color must not be red'),
  )
  const list = {
    ...entry,
    query,
    body: undefined,
    success: { status: 200, body: v.array(v.object({})) },
    paged: true,
  }
  const sent = (query: object) => () =>
    // Its parts are an Entry's.
    requestParser('listToys', list as Entry)(request({ query }), caller)

  expect(sent({ color: 'red' })).toThrow('The color must not be red.')
  expect(sent({ color: 'blue', size: '1' })).toThrow(
    'The query must have at most one of color, size.',
  )
  expect(sent({ color: 'blue' })().input.query).toEqual({ color: 'blue', limit: 20 })
})

test.each([
  ['a missing field', { body: { id: 7 } }, badRequest('size is missing: it must be a number.')],
  ['null', { body: { id: null, size: 1 } }, badRequest('id must be a number.')],
  [
    'two wrappers',
    { body: { id: 7, size: 1, paint: 1 } },
    badRequest('paint must be a text, or null, or omitted.'),
  ],
  [
    'several',
    { body: { size: '1' } },
    badRequest('id is missing: it must be a number; size must be a number.'),
  ],
  [
    'a missing header',
    { headers: { 'x-brush': undefined } },
    badRequest('X-Brush is missing: it must be a text.'),
  ],
  [
    'a repeated parameter',
    { query: { id: ['a', 'a'] } },
    badRequest('id must be a text, or omitted (give it once).'),
  ],
])('says what is wrong with %s', (_, changes, error) => {
  const wrong = request(changes as object)

  expect(() => parse(wrong)).toThrow(error)
})

describe('an idempotency key', () => {
  const Toy = v.object({ id: Id })
  const create = {
    ...entry,
    method: 'POST',
    success: { status: 200, body: Toy },
    idempotent: true,
    conditional: true,
  } as const
  const intentOf = (changes: object, id = 'a') => {
    const headers: Record<string, string> = { 'x-brush': 'fine', 'idempotency-key': 'k' }
    return requestParser('paintToy', create)(
      { ...request({ headers, ...changes }), pathParameters: { id } },
      caller,
    ).intent
  }
  const body = { id: 7, size: 1 }
  const intent = intentOf({})

  test('is that of one client for one operation', () => {
    const digest = expect.stringMatching(/^[\da-f]{64}$/)
    expect(intent).toEqual({ clientId: 'ann', operation: 'paintToy', key: 'k', request: digest })
  })

  test.each([
    [{ size: 1, id: 7 }, body],
    [
      { ...body, parts: [{ a: 1, b: 2 }] },
      { ...body, parts: [{ b: 2, a: 1 }] },
    ],
  ])('is for the same request if only the order of fields differs: %j', (one, other) => {
    expect(intentOf({ body: one })).toEqual(intentOf({ body: other }))
  })

  test.each<[string, object, string?]>([
    ['field that the schema does not name', { body: { ...body, toy: 1 } }],
    ['parameter that the schema does not name', { query: { toy: '1' } }],
    ['If-Match', { headers: { 'x-brush': 'fine', 'idempotency-key': 'k', 'if-match': '*' } }],
    ['header', { headers: { 'x-brush': 'wide', 'idempotency-key': 'k' } }],
    ['path', {}, 'b'],
  ])('is for another request with another %s', (_, changes, id) => {
    expect(intentOf(changes, id)?.request).not.toBe(intent?.request)
  })
})

test('names a field that has no rule', () => {
  const schema = v.object({ size: v.optional(v.number()) })

  expect(() => fieldRules(schema)).toThrow('The field size has no rule.')
})
