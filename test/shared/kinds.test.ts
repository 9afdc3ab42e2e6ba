import fc from 'fast-check'
import * as v from 'valibot'
import { describe, expect, onTestFinished, test } from 'vitest'
import { operationText } from '../../infra/client/build.ts'
import { problemOf } from '../../infra/contract-problem.ts'
import { jsonSchemaOf } from '../../infra/openapi/schemas.ts'
import { collection } from '../../shared/data/collection.ts'
import { badRequest } from '../../shared/model/api-error.ts'
import { Id, IdText } from '../../shared/model/id.ts'
import { Int64, Int64Text } from '../../shared/model/int64.ts'
import { exactJson, stringifyJson } from '../../shared/model/json.ts'
import { Decimal, Integer, Parameter } from '../../shared/model/number.ts'
import { Filters } from '../../shared/model/paging.ts'
import { Text, TextList } from '../../shared/model/text.ts'
import { CalendarDate, Timestamp } from '../../shared/model/time.ts'
import type { Entry, ObjectSchema } from '../../shared/pipeline/entry.ts'
import type { Event } from '../../shared/pipeline/http.ts'
import { requestParser } from '../../shared/pipeline/input.ts'
import { resources } from '../../shared/resources.ts'
import { service } from '../../shared/service.ts'
import { alone } from '../support/alone.ts'
import { putItem } from '../support/database.ts'
import { eventOf } from '../support/events.ts'
import { example } from '../support/example.ts'
import { valuesOf } from '../support/values.ts'

// The kinds of values that a resource can have. Each is right wherever a value goes: through a body, the table, its indexes, a
// parameter, the document, the client, and the digest of an idempotent request.

type Kind = {
  schema: v.GenericSchema
  rule: string
  /** JSON of values that are returned as they were sent, and of others by what is returned. */
  valid: string[]
  same?: Record<string, string>
  invalid: string[]
  document: object
  client: string
  /** Of a scalar, and texts that are no value of it. */
  parameter?: v.GenericSchema
  noValue?: string[]
}

const Color = v.pipe(v.picklist(['red', 'blue']), v.description('one of red, blue'))
const YesOrNo = v.pipe(v.boolean(), v.description('true or false'))
const Seven = v.pipe(v.literal(7), v.description('7'))
const [INT64, SAFE] = ['9223372036854775807', '9007199254740991']

const kinds: Record<string, Kind> = {
  text: {
    schema: Text(80),
    rule: 'a string of 1 to 80 characters, not only white space, in valid Unicode',
    valid: ['"Rex"', '" 7 "', '"\\u0000é\u{1f9a6}"', `"${'\u{1f9a6}'.repeat(80)}"`],
    same: { '"\\u0041"': '"A"' },
    invalid: ['""', '" "', `"${'x'.repeat(81)}"`, '"\\ud800"', '"\\ufffd"', '7', 'null', '[]'],
    document: { type: 'string', maxLength: 80 },
    client: 'string',
    parameter: Text(80),
    noValue: ['', 'x'.repeat(81)],
  },
  int64: {
    schema: Int64,
    rule: `a JSON number, without quotes: an integer from -9223372036854775808 to ${INT64}, in digits`,
    valid: ['0', '-1', SAFE, INT64, '-9223372036854775808'],
    same: { '1.0': '1', '1e3': '1000', '-0': '0' },
    invalid: ['9223372036854775808', '1.5', '1e400', '"7"', 'null', '9007199254740993.0'],
    document: { type: 'integer', format: 'int64' },
    client: 'Int64',
    parameter: Int64Text,
    noValue: ['1.5', '01', 'a', ''],
  },
  integer: {
    schema: Integer(-5, 10),
    rule: 'an integer from -5 to 10',
    valid: ['-5', '0', '10'],
    same: { '1.0': '1', '1e0': '1', '-0': '0' },
    invalid: ['-6', '11', '1.5', '1e-200', '"1"', 'null', 'true', INT64],
    document: { type: 'integer', format: 'int64', minimum: -5, maximum: 10 },
    client: 'number',
    parameter: Parameter(Integer(-5, 10)),
    noValue: ['11', '1.5', 'true', ''],
  },
  decimal: {
    schema: Decimal(),
    rule: `a number from -${SAFE} to ${SAFE}, with at most 15 significant digits`,
    valid: ['0.1', '-123456.789012345', '0', SAFE, `-${SAFE}`, '1e-130', '0.30000000000000004'],
    same: { '1.50': '1.5', '1e3': '1000', '-0': '0', '1.0': '1', [`${SAFE}.0`]: SAFE },
    invalid: [
      ...['9007199254740992', '9007199254740992.0', '-9007199254740992.0', '9007199254740993', '1e15000'],
      ...['1e300', '-1e300', '1e400', '1e-200', '123456789.123456789', '"1"', 'null'],
    ],
    document: { type: 'number', format: 'double', minimum: -SAFE, maximum: Number(SAFE) },
    client: 'number',
    parameter: Parameter(Decimal()),
    noValue: ['123456789.123456789', '9007199254740992.0', 'a', '', 'NaN'],
  },
  amount: {
    schema: Decimal(-1000, Number.POSITIVE_INFINITY, 2),
    rule: `a number from -1000 to ${SAFE}, with at most 15 significant digits, 2 after the point`,
    valid: ['0.29', '1.1', '4.35', '-8.2', '0.07', '1.15', '70.3', '0', '99999999999.99', SAFE],
    same: { '0.290': '0.29', '435e-2': '4.35', '-0': '0', '-0.00': '0' },
    invalid: [
      '0.005',
      '1.001',
      '0.30000000000000004',
      '0.2900000000000001',
      '1e-130',
      '1e17',
      '-1000.01',
      '"7"',
      'null',
    ],
    document: { type: 'number', format: 'double', minimum: -1000, maximum: Number(SAFE), multipleOf: 0.01 },
    client: 'number',
    parameter: Parameter(Decimal(-1000, Number.POSITIVE_INFINITY, 2)),
    noValue: ['0.005', ''],
  },
  id: {
    schema: Id,
    rule: 'a positive integer of at most 53 bits',
    valid: ['1', SAFE],
    same: { '1.0': '1', '1e3': '1000' },
    invalid: ['0', '-1', '1.5', INT64, '"7"', 'null'],
    document: { type: 'integer', format: 'int64', minimum: 1, maximum: Number(SAFE) },
    client: 'number',
    parameter: Parameter(Id),
    noValue: ['0', INT64, ''],
  },
  boolean: {
    schema: YesOrNo,
    rule: 'true or false',
    valid: ['true', 'false'],
    invalid: ['0', '"true"', 'null'],
    document: { type: 'boolean' },
    client: 'boolean',
    parameter: Parameter(YesOrNo),
    noValue: ['1', 'True', ''],
  },
  enumeration: {
    schema: Color,
    rule: 'one of red, blue',
    valid: ['"red"', '"blue"'],
    invalid: ['"green"', '"Red"', '0', 'null'],
    document: { enum: ['red', 'blue'] },
    client: '"red" | "blue"',
    parameter: Color,
    noValue: ['green', ''],
  },
  literal: {
    schema: Seven,
    rule: '7',
    valid: ['7'],
    same: { '7.0': '7' },
    invalid: ['8', '"7"', 'null'],
    document: { const: 7 },
    client: '7',
    parameter: Parameter(Seven),
    noValue: ['8', ''],
  },
  date: {
    schema: CalendarDate,
    rule: 'a date such as 2026-11-20',
    valid: ['"2026-11-20"', '"2028-02-29"'],
    invalid: ['"2026-02-29"', '"2026-11-31"', '"20.11.2026"', '"2026-11-20T12:00:00.000Z"', '0', 'null'],
    document: { type: 'string', format: 'date' },
    client: 'string',
    parameter: CalendarDate,
    noValue: ['2026-11', ''],
  },
  time: {
    schema: Timestamp,
    rule: 'a time in UTC such as 2026-11-20T12:00:00.000Z',
    valid: ['"2026-11-20T12:00:00.000Z"', '"1969-12-31T23:59:59.999Z"'],
    invalid: ['"2026-11-20T12:00:00Z"', '"2026-11-20T12:00:00.000+01:00"', '"2026-11-31T12:00:00.000Z"', '0', 'null'],
    document: { type: 'string', pattern: expect.stringMatching(/^\^.+Z\$$/) },
    client: 'string',
    parameter: Timestamp,
    noValue: ['2026-11-20', '+010000-01-01T00:00:00.000Z', ''],
  },
  'list of texts': {
    schema: TextList(3, 5),
    rule: 'a list of at most 3 texts of 1 to 5 characters',
    valid: ['[]', '["a","b"]', '["b","a"]', '["a","a"]'],
    invalid: ['["a","a","a","a"]', '["toolong"]', '[""]', '[7]', '"a"', '{}', 'null'],
    document: { type: 'array', maxItems: 3, items: expect.objectContaining({ type: 'string', maxLength: 5 }) },
    client: 'Array<string>',
  },
}

describe.each(Object.entries(kinds))('a value that is a %s', (_, { schema, rule, parameter, ...kind }) => {
  const { field } = example.filter
  const Toy = v.pipe(v.object({ id: Id, [field]: v.optional(schema) }), v.title('Toy'))
  const toys = alone(collection(example.table, Toy))
  const entry = {
    method: 'POST',
    path: '/toys/{id}',
    summary: 'Add a toy',
    tag: 'Toys',
    scope: example.scopes.write,
    params: v.object({ id: IdText }),
    query: Filters({ [field]: v.optional(parameter ?? schema) }),
    body: v.object({ [field]: schema }),
    success: { status: 201, body: Toy },
    idempotent: true,
    access: {},
  } as const satisfies Entry
  const caller = { keyId: 'key-1', clientId: 'ann', scopes: [] }
  const bodyOf = (json: string) => exactJson(`{"${field}":${json}}`, JSON.parse(`{"${field}":${json}}`))
  const parse = (json: string, sent?: string) => {
    const event: Event = eventOf(example.events.create, {
      id: '7',
      query: { [field]: sent },
      headers: { 'Idempotency-Key': 'a' },
    })
    const { input, intent } = requestParser('addToy', entry)(
      { ...event, pathParameters: { id: '7' }, body: bodyOf(json) as never },
      caller,
    )
    return { ...input, intent }
  }
  // As the generated requests of test/api/properties.test.ts have them.
  const drawn = fc.sample(valuesOf(schema), { seed: 20261120, numRuns: 5 }).map((value) => stringifyJson(value))
  const valid = [...kind.valid, ...drawn]
  const sent = [...valid.map((json) => [json, json] as const), ...Object.entries(kind.same ?? {})]

  test.each(sent)('is stored, listed and returned as it was sent: %s', async (json, returned) => {
    const { body } = parse(json)
    const { resource } = await toys.create({ ...body })
    const { id } = resource
    const filtered = parameter && { [field]: Object(body)[field] }

    const read = [
      resource,
      (await toys.get(id)).resource,
      ...(await toys.list({ limit: 1, cursor: id + 1, ...filtered })).items,
    ]

    for (const each of read) expect(stringifyJson(each)).toBe(`{"id":${id},"${field}":${returned}}`)
    expect(read).toHaveLength(3)
  })

  test.each(kind.invalid)('is refused with its rule if it is %s', (json) => {
    expect(() => parse(json)).toThrow(badRequest(`${field} must be ${rule}.`))
  })

  test.runIf(parameter)('is the same in a parameter', () => {
    const textOf = (json: string) => `${json.startsWith('"') ? JSON.parse(json) : json}`

    for (const json of valid) expect(parse(json, textOf(json)).query).toEqual(parse(json).body)
    for (const text of kind.noValue ?? []) expect(() => parse(`${kind.valid[0]}`, text)).toThrow(`${field} must be `)
  })

  test('is described in the document and in the client', () => {
    expect(jsonSchemaOf(schema)).toMatchObject(kind.document)
    expect(operationText('addToy', entry)).toContain(`"${field}": ${kind.client}`)
  })

  test('is the same request if it is the same value', () => {
    const digests = sent.map(([json]) => parse(json).intent?.request)
    const values = sent.map(([, returned]) => returned)

    expect(digests.map((digest) => digests.indexOf(digest))).toEqual(values.map((value) => values.indexOf(value)))
  })

  test('can have a default, which older items get, too', async () => {
    const value = Object(bodyOf(kind.valid[0] ?? ''))[field]
    const Defaulted = v.pipe(v.object({ id: Id, [field]: v.optional(schema, value) }), v.title('Toy'))
    const later = alone(collection(example.table, Defaulted))
    await putItem(example.table, { id: 1, shard: 0, revision: 'x' })

    const { resource } = await later.create({})

    expect(resource[field]).toEqual(value)
    expect((await later.get(1)).resource).toEqual({ id: 1, [field]: value })
  })
})

describe('what would go wrong without a word is refused, with what to use instead', () => {
  const { table, filter } = example
  const withBody = (body: ObjectSchema, method: Entry['method'] = 'POST') =>
    problemOf({ addToy: { method, path: '/toys', body } }, resources)
  const described = <Schema extends v.GenericSchema>(schema: Schema) => v.pipe(schema, v.description('a size'))
  const OTHER = 'Use a text, number, time, picklist, boolean or list of texts, or a resource of its own.'
  const NUMBER =
    'accepts numbers that DynamoDB refuses or JavaScript rounds. Use Int64, Integer() or Decimal() of shared/model.'
  const TEXT = 'accepts text that is no valid Unicode. Use Text() of shared/model.'
  const NULL = 'may be null. Use v.optional(): a change to null removes a field.'
  const TRANSFORMED = 'is transformed. A field is stored as it was sent.'

  test.each(Object.entries(kinds))('but not a %s', (_, { schema }) => {
    expect(withBody(v.object({ size: v.optional(schema), color: described(schema) }))).toBeUndefined()
  })

  test.each<[v.GenericSchema, string]>([
    [v.number(), NUMBER],
    [v.optional(v.pipe(v.number(), v.minValue(0), v.maxValue(5))), NUMBER],
    [v.pipe(v.number(), v.integer()), NUMBER],
    [v.string(), TEXT],
    [v.array(v.pipe(v.string(), v.minLength(5))), TEXT],
    [v.nullable(Color), NULL],
    [v.nullish(Color), NULL],
    [v.optional(Color, () => 'red' as const), 'has a default that is computed. Set the value in the function.'],
    [v.pipe(Text(5), v.trim()), TRANSFORMED],
    [v.optional(v.pipe(v.string(), v.transform(Number), Integer(1, 5))), TRANSFORMED],
    [
      v.pipeAsync(
        v.string(),
        v.checkAsync(async () => true),
      ) as unknown as v.GenericSchema,
      TRANSFORMED,
    ],
    ...['bigint', 'date', 'any', 'unknown', 'blob'].map((name): [v.GenericSchema, string] => [
      Object(v)[name](),
      `is a v.${name}(). ${OTHER}`,
    ]),
    [v.union([Color, YesOrNo]), `is a v.union(). ${OTHER}`],
    [v.variant('a', [v.object({ a: Color })]), `is a v.variant(). ${OTHER}`],
    [v.object({ a: Color }), `is a v.object(). ${OTHER}`],
    [v.record(v.string(), Color), `is a v.record(). ${OTHER}`],
    [v.map(v.string(), Color), `is a v.map(). ${OTHER}`],
    [v.set(Color), `is a v.set(). ${OTHER}`],
    [v.undefinedable(Color), `is a v.undefinedable(). ${OTHER}`],
    [v.lazy(() => Color), `is a v.lazy(). ${OTHER}`],
    [v.instance(Date), `is a v.instance(). ${OTHER}`],
    [v.array(Int64), `is a v.array(). ${OTHER}`],
  ])('%#: %s', (schema, problem) => {
    expect(withBody(v.object({ color: Color, size: schema }))).toBe(`addToy has the field size, which ${problem}`)
    const { collection } = resources[table]
    const fields = { ...collection.fields, size: schema }
    const own = { ...resources, [table]: { collection: { ...collection, fields } } }
    expect(problemOf({}, own)).toBe(`${table} has the field size, which ${problem}`)
  })

  test('in the body of a change, null is allowed, and a default is not', () => {
    const [nullable, defaulted] = [v.optional(v.nullable(Color)), v.optional(Color, 'red')]

    expect(withBody(v.object({ size: nullable, color: defaulted }))).toContain(NULL)
    expect(withBody(v.object({ size: nullable }), 'PATCH')).toBeUndefined()
    expect(withBody(v.object({ size: defaulted }), 'PATCH')).toBe(
      'addToy has the field size, which has a default, which each change would set.',
    )
  })

  test('a body that is loose', () => {
    expect(withBody(v.looseObject({ size: Color }))).toBe(
      'addToy has a body that is a v.loose_object(). Use v.object(), which ignores unknown fields.',
    )
  })

  test.each([
    ['too long a text', v.object({ id: Id, [filter.field]: Text(501) })],
    [
      'a text of any length',
      v.object({ id: Id, [filter.field]: v.pipe(v.string(), v.nanoid(), v.description('an id')) }),
    ],
    ['a list', v.object({ id: Id, [filter.field]: v.optional(TextList(3, 5)) })],
    ['no field', v.object({ id: Id })],
  ])('a filter by %s', (_, schema) => {
    const others = { ...resources, [table]: { ...resources[table], fields: schema.entries } }

    expect(problemOf({}, others)).toBe(
      `Lists of ${table} cannot be filtered by ${filter.field}: it is no field with a single value of at most 500 characters.`,
    )
  })

  test('a base path of two parts', () => {
    const { basePath } = service
    onTestFinished(() => void Object.assign(service, { basePath }))
    Object.assign(service, { basePath: '/desk/v2' })

    expect(problemOf({}, resources)).toBe(
      'The basePath /desk/v2 is not one part, such as /v1, as a stage of API Gateway is.',
    )
  })
})
