import fc from 'fast-check'
import * as v from 'valibot'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { contractProblem } from '../../infra/contract-problem.ts'
import { jsonSchema } from '../../infra/openapi/schemas.ts'
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
import { collections, service } from '../../shared/service.ts'
import { alone } from '../support/alone.ts'
import { putItem } from '../support/database.ts'
import { eventOf } from '../support/events.ts'
import { example, has } from '../support/example.ts'
import { valuesOf } from '../support/values.ts'

// The kinds of values that a resource can have. Each is right wherever a value goes: through a
// body, the table, its indexes, a parameter, the document, and the digest of an idempotent request.

type Kind = {
  schema: v.GenericSchema
  rule: string
  /** JSON of values that are returned as they were sent, and of others by what is returned. */
  valid: string[]
  same?: Record<string, string>
  invalid: string[]
  document: object
  /** Of a scalar, and texts that are no value of it. */
  parameter?: v.GenericSchema
  noValue?: string[]
}

const Color = v.pipe(v.picklist(['red', 'blue']), v.description('one of red, blue'))
const YesOrNo = v.pipe(v.boolean(), v.description('true or false'))
const Seven = v.pipe(v.literal(7), v.description('7'))
const [INT64, SAFE] = ['9223372036854775807', '9007199254740991']

const words = (text: string): string[] => text.trim().split(/\s+/)

const kinds: Record<string, Kind> = {
  text: {
    schema: Text(80),
    rule: 'a string of 1 to 80 characters, not only white space, in valid Unicode',
    valid: ['"Rex"', '" 7 "', '"\u200b"', '"\\u0000e\u0301"', `"${'\u{1f9a6}'.repeat(80)}"`],
    same: { '"\\u0041"': '"A"' },
    invalid: [
      '"\u00a0\u3000\\t\\n\\u000b\\f\u2028\u2029\ufeff"',
      ...words(
        `"" "${'\u{1f9a6}'.repeat(81)}" "Max\\ud83d" "\\udc15Max" "Max\\ufffd" 7 null ["Max"]`,
      ),
    ],
    document: { type: 'string', maxLength: 80 },
    parameter: Text(80),
    noValue: ['', 'x'.repeat(81)],
  },
  int64: {
    schema: Int64,
    rule: `a JSON number, without quotes: an integer from -9223372036854775808 to ${INT64}, in digits`,
    valid: words(`0 -${SAFE} 9007199254740992 -9007199254740993 ${INT64} -9223372036854775808`),
    same: { '1.0': '1', '1e3': '1000', '-0': '0' },
    invalid: words(`9223372036854775808 -9223372036854775809 9007199254740993.0 1e17 1.5 1e400
      "7" true null`),
    document: { type: 'integer', format: 'int64' },
    parameter: Int64Text,
    noValue: [
      ...words('9223372036854775808 -9223372036854775809 10000000000000000000 01 +1 -0 1.0 1e3'),
      ...['0x7', '٧', '-', '', ' 7', '7\n'],
    ],
  },
  integer: {
    schema: Integer(-5, 10),
    rule: 'an integer from -5 to 10',
    valid: words('-5 0 10'),
    same: { '1.0': '1', '1e0': '1', '-0': '0' },
    invalid: words(`-6 11 1.5 1e-200 "1" null true ${INT64}`),
    document: { type: 'integer', format: 'int64', minimum: -5, maximum: 10 },
    parameter: Parameter(Integer(-5, 10)),
    noValue: ['11', '1.5', 'true', ''],
  },
  decimal: {
    schema: Decimal(),
    rule: `a number from -${SAFE} to ${SAFE}, with at most 15 significant digits`,
    valid: words(`0.1 -123456.789012345 ${SAFE} -${SAFE} 1e-130 0.30000000000000004`),
    same: { '1.50': '1.5', '1e3': '1000', '-0': '0', [`${SAFE}.0`]: SAFE },
    invalid: words(
      '9007199254740992 9007199254740993 1e300 1e400 1e-200 123456789.123456789 "1" null',
    ),
    document: { type: 'number', format: 'double', minimum: -SAFE, maximum: Number(SAFE) },
    parameter: Parameter(Decimal()),
    noValue: ['123456789.123456789', '9007199254740992.0', 'a', '', 'NaN'],
  },
  amount: {
    schema: Decimal(-1000, Number.POSITIVE_INFINITY, 2),
    rule: `a number from -1000 to ${SAFE}, with at most 15 significant digits, 2 after the point`,
    valid: words(`0.29 1.1 4.35 -8.2 0.07 1.15 70.3 99999999999.99 ${SAFE}`),
    same: { '0.290': '0.29', '435e-2': '4.35', '-0.00': '0' },
    invalid: words('0.005 1.001 0.30000000000000004 1e-130 1e17 -1000.01 "7" null'),
    document: { type: 'number', format: 'double', minimum: -1000, multipleOf: 0.01 },
    parameter: Parameter(Decimal(-1000, Number.POSITIVE_INFINITY, 2)),
    noValue: ['0.005', ''],
  },
  id: {
    schema: Id,
    rule: 'a positive integer of at most 53 bits',
    valid: ['1', SAFE],
    same: { '1.0': '1', '1e3': '1000' },
    invalid: words(`0 -1 1.5 ${INT64} "7" null`),
    document: { type: 'integer', format: 'int64', minimum: 1, maximum: Number(SAFE) },
    parameter: Parameter(Id),
    noValue: ['0', INT64, ''],
  },
  boolean: {
    schema: YesOrNo,
    rule: 'true or false',
    valid: ['true', 'false'],
    invalid: words('0 "true" null'),
    document: { type: 'boolean' },
    parameter: Parameter(YesOrNo),
    noValue: ['1', 'True', ''],
  },
  enumeration: {
    schema: Color,
    rule: 'one of red, blue',
    valid: ['"red"', '"blue"'],
    invalid: words('"green" "Red" 0 null'),
    document: { enum: ['red', 'blue'] },
    parameter: Color,
    noValue: ['green', ''],
  },
  literal: {
    schema: Seven,
    rule: '7',
    valid: ['7'],
    same: { '7.0': '7' },
    invalid: words('8 "7" null'),
    document: { const: 7 },
    parameter: Parameter(Seven),
    noValue: ['8', ''],
  },
  date: {
    schema: CalendarDate,
    rule: 'a date such as 2026-11-20',
    valid: words('"2026-11-20" "2028-02-29"'),
    invalid: words('"2026-02-29" "2026-11-31" "20.11.2026" "2026-11-20T12:00:00.000Z" 0 null'),
    document: { type: 'string', format: 'date' },
    parameter: CalendarDate,
    noValue: ['2026-11', ''],
  },
  time: {
    schema: Timestamp,
    rule: 'a time in UTC such as 2026-11-20T12:00:00.000Z',
    valid: words('"2026-11-20T12:00:00.000Z" "1969-12-31T23:59:59.999Z"'),
    invalid:
      words(`"2026-11-20T12:00:00Z" "2026-11-20T12:00:00.000+01:00" "2026-11-31T12:00:00.000Z"
      0 null`),
    document: { type: 'string', pattern: expect.stringMatching(/^\^.+Z\$$/) },
    parameter: Timestamp,
    noValue: ['2026-11-20', '+010000-01-01T00:00:00.000Z', ''],
  },
  'list of texts': {
    schema: TextList(3, 5),
    rule: 'a list of at most 3 texts of 1 to 5 characters',
    valid: words('[] ["a","b"] ["b","a"] ["a","a"]'),
    invalid: words('["a","a","a","a"] ["toolong"] [""] [7] "a" {} null'),
    document: {
      type: 'array',
      maxItems: 3,
      items: expect.objectContaining({ type: 'string', maxLength: 5 }),
    },
  },
}

describe.each(Object.entries(kinds))(
  'a value that is a %s',
  (_, { schema, rule, parameter, ...kind }) => {
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
    const bodyOf = (json: string) =>
      exactJson(`{"${field}":${json}}`, JSON.parse(`{"${field}":${json}}`))
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
    const drawn = fc
      .sample(valuesOf(schema), { seed: 20261120, numRuns: 5 })
      .map((value) => stringifyJson(value))
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

      for (const each of read)
        expect(stringifyJson(each)).toBe(`{"id":${id},"${field}":${returned}}`)
      expect(read).toHaveLength(3)
    })

    test.each(kind.invalid)('is refused with its rule if it is %s', (json) => {
      expect(() => parse(json)).toThrow(badRequest(`${field} must be ${rule}.`))
    })

    test.runIf(parameter)('is the same in a parameter', () => {
      const textOf = (json: string) => `${json.startsWith('"') ? JSON.parse(json) : json}`

      for (const json of valid) expect(parse(json, textOf(json)).query).toEqual(parse(json).body)
      for (const text of kind.noValue ?? [])
        expect(() => parse(`${kind.valid[0]}`, text)).toThrow(`${field} must be `)
    })

    test('is described in the document', () => {
      expect(jsonSchema(schema)).toMatchObject(kind.document)
    })

    test('is the same request if it is the same value', () => {
      const digests = sent.map(([json]) => parse(json).intent?.request)
      const values = sent.map(([, returned]) => returned)

      expect(digests.map((digest) => digests.indexOf(digest))).toEqual(
        values.map((value) => values.indexOf(value)),
      )
    })

    test('can have a default, which older items get, too', async () => {
      const value = Object(bodyOf(kind.valid[0] ?? ''))[field]
      const Defaulted = v.pipe(
        v.object({ id: Id, [field]: v.optional(schema, value) }),
        v.title('Toy'),
      )
      const later = alone(collection(example.table, Defaulted))
      await putItem(example.table, { id: 1, shard: 0, revision: 'x' })

      const { resource } = await later.create({})

      expect(resource[field]).toEqual(value)
      expect((await later.get(1)).resource).toEqual({ id: 1, [field]: value })
    })
  },
)

type Operation = Parameters<typeof contractProblem>[0][string]

const problem = (entry: Partial<Operation>) =>
  contractProblem({ addToy: { method: 'POST', path: '/toys', ...entry } }, resources)
const inBody = (size: v.GenericSchema, method: Operation['method'] = 'POST') =>
  problem({ method, body: v.object({ color: Color, size }) })
const inQuery = (size: v.GenericSchema) => problem({ query: v.object({ size }) })
const inHeaders = (size: v.GenericSchema) => problem({ headers: v.object({ size }) })
const inPath = (size: v.GenericSchema) =>
  problem({ path: '/toys/{size}', params: v.object({ size }) })
const inResource = (size: v.GenericSchema) => {
  const { table } = example
  const resource = { collection: { fields: { ...resources[table].collection.fields, size } } }
  return contractProblem({}, { ...resources, [table]: resource })
}

const KINDS =
  'a Text(), TextList(), CalendarDate, Timestamp, Id, Int64, Integer() or Decimal() of shared/model, a v.boolean(), v.picklist() or v.literal(), at most with checks and in v.optional()'
const PARAMETERS =
  'a Text(), TextList(), CalendarDate, Timestamp, IdText or Parameter() of shared/model, or a v.picklist() of texts, at most with checks and in v.optional()'
const PATHS = 'an IdText of shared/model, or a v.picklist() of texts, at most with checks'

const described = (schema: v.GenericSchema) => v.pipe(schema, v.description('a size'))
const isNew = v.check(() => true)
const isNever = v.check(() => false)
const isSame = v.guard((value): value is typeof value => true)
const NO_RULE = 'has no v.description() of its rule, after its checks.'

describe.each(Object.entries(kinds))(
  'a %s',
  (_, { schema, parameter = schema, valid: [json = ''], document }) => {
    const value = Object(exactJson(`[${json}]`, JSON.parse(`[${json}]`)))[0]

    test('is allowed in v.optional(), with a default and with checks, and is the same kind then', () => {
      const checked = v.pipe(schema, isNew, v.description('new'))
      for (const each of [
        v.optional(schema),
        v.optional(schema, value),
        v.pipe(v.optional(checked, value), isNew, v.description('new')),
        v.optional(v.pipe(schema, v.brand('Size'), v.readonly(), v.title('Size')), value),
      ]) {
        expect([inBody(each), inResource(each)]).toEqual([undefined, undefined])
        expect(v.parse(each, value)).toEqual(value)
        expect(jsonSchema(each)).toMatchObject(document)
      }
    })

    test('is allowed in a change if it may be null, and nowhere else', () => {
      const newOrNull = v.pipe(v.nullable(schema), isNew, v.description('new, or null'))
      for (const each of [v.nullable(schema), v.optional(newOrNull)]) {
        expect(inBody(each, 'PATCH')).toBeUndefined()
        expect(inBody(each)).toBe(`addToy has the field size, which must be ${KINDS}.`)
        expect(inResource(each)).toBe(
          `${example.table} has the field size, which must be ${KINDS}.`,
        )
      }
    })

    test('is allowed in a query or a header in its form of a text', () => {
      const checked = v.pipe(parameter, isNew, v.description('new'))
      for (const each of [parameter, v.optional(checked)])
        expect([inQuery(each), inHeaders(each)]).toEqual([undefined, undefined])
    })

    test.each<[string, v.GenericSchema]>([
      ['that may be null or omitted', v.nullish(schema)],
      ['that may be omitted, or null', v.nullable(v.optional(schema))],
      ['that may be omitted twice', v.optional(v.optional(schema))],
      ['with a value in place of invalid ones', v.fallback(v.pipe(schema, v.title('Size')), value)],
      [
        'that is transformed',
        v.pipe(
          schema,
          v.transform((each) => each),
        ),
      ],
      [
        'that is checked elsewhere',
        v.pipeAsync(
          schema,
          v.checkAsync(async () => true),
        ) as unknown as v.GenericSchema,
      ],
      ['or another one', v.union([schema, v.literal('')])],
    ])('is refused %s', (_, each) => {
      const refused = described(each)
      expect(inBody(refused)).toBe(`addToy has the field size, which must be ${KINDS}.`)
      expect(inBody(refused, 'PATCH')).toContain(`${KINDS} and in v.nullable().`)
      expect(inQuery(refused)).toContain(`query parameter size, which must be ${PARAMETERS}.`)
      expect(inPath(refused)).toContain(`path parameter size, which must be ${PATHS}.`)
    })

    test('is refused with a default that is invalid or computed', () => {
      const invalid = 'which has a default that it does not accept.'
      expect(inBody(v.optional(schema, {} as never))).toContain(invalid)
      expect(inResource(v.pipe(v.optional(schema, value), isNever))).toContain(invalid)
      expect(inBody(v.optional(schema, () => value))).toBe(
        'addToy has the field size, which has a default that is computed. Set the value in the function.',
      )
    })

    test('is refused with a default in a change', () => {
      const reason = 'addToy has the field size, which has a default, which each change would set.'

      expect(inBody(v.optional(schema, value), 'PATCH')).toBe(reason)
      expect(inBody(v.optional(v.nullable(schema, value)), 'PATCH')).toBe(reason)
    })

    test('is refused with a check that no description tells', () => {
      for (const each of [v.optional(v.pipe(described(schema), isNew)), v.pipe(schema, isSame)])
        expect(inBody(each)).toBe(`addToy has the field size, which ${NO_RULE}`)
    })
  },
)

test.each<[string, v.GenericSchema]>([
  ['one of two values', v.literal(true)],
  ['a choice of texts and others', v.picklist(['', 'é', 7, 0.5])],
  ['a list of choices', v.array(Color)],
  ['a list of texts without an end', v.array(CalendarDate)],
])('%s is a kind, too', (_, schema) => {
  expect([inBody(described(schema)), inResource(described(schema))]).toEqual([undefined, undefined])
})

test.each<[string, v.GenericSchema]>([
  ['a number', v.number()],
  ['a text', v.string()],
  ['a list of numbers', v.array(Int64)],
  ['a list of what may be missing', v.array(v.optional(Text(5)))],
  ['a trimmed text', v.pipe(Text(5), v.trim())],
  ['a number in a text', v.pipe(v.string(), v.transform(Number), Integer(1, 5))],
  ['a parameter', Parameter(Integer(1, 5))],
  ['an id in a path', IdText],
  ['a number without an end', v.picklist([1, Number.POSITIVE_INFINITY])],
  ['a large integer', v.literal(7n)],
  ['a lost text', v.picklist(['\ud800'])],
  ['an object', v.object({ a: Color })],
])('%s is no kind', (_, schema) => {
  for (const each of [described(schema), v.optional(described(schema))]) {
    expect(inBody(each)).toBe(`addToy has the field size, which must be ${KINDS}.`)
    expect(inResource(each)).toBe(`${example.table} has the field size, which must be ${KINDS}.`)
  }
})

test.each<[string, v.GenericSchema]>([
  ['a number', Integer(1, 5)],
  ['a boolean', YesOrNo],
  ['a number in a text by hand', v.pipe(v.string(), v.transform(Number))],
  ['a choice of numbers', v.picklist([1, 2])],
  // @ts-expect-error: a parameter is a number or a boolean.
  ['a parameter of a text', Parameter(Text(5))],
  ['a parameter of any number', Parameter(v.number())],
])('%s is no query parameter and no header', (_, schema) => {
  const part = described(schema)
  expect(inQuery(part)).toBe(`addToy has the query parameter size, which must be ${PARAMETERS}.`)
  expect(inHeaders(part)).toBe(`addToy has the header size, which must be ${PARAMETERS}.`)
})

test('a path parameter is an id or a choice of texts: API Gateway leaves others as they were encoded', () => {
  expect([inPath(v.pipe(IdText, v.examples([7]))), inPath(Color)]).toEqual([undefined, undefined])
  for (const schema of [Text(20), Parameter(Integer(1, 5)), v.optional(IdText), TextList(3, 5)])
    expect(inPath(schema)).toBe(`addToy has the path parameter size, which must be ${PATHS}.`)
})

test('a default of a parameter is a text, as a client would send it', () => {
  const Size = Parameter(Integer(1, 5))

  expect(inQuery(v.optional(Size, '5'))).toBeUndefined()
  expect(inQuery(v.optional(Size, '6'))).toBe(
    'addToy has the query parameter size, which has a default that it does not accept.',
  )
})

test.each<[string, ObjectSchema]>([
  ['keeps unknown fields', v.looseObject({ size: Color })],
  [
    'is transformed',
    v.pipe(
      v.object({ size: Color }),
      v.transform(() => ({ size: 7 })),
    ),
  ],
  ['is another one if it is invalid', v.fallback(v.object({ size: Color }), { size: 'red' })],
])('no part of a request %s', (_, schema) => {
  for (const part of ['query', 'headers', 'body'] as const)
    expect(problem({ [part]: schema })).toBe(
      `addToy has a ${part} that is not a v.object(), at most with checks.`,
    )
})

test('a part of a request may have checks of all its fields', () => {
  const body = v.pipe(
    v.object({ size: Color }),
    v.minEntries(1, 'The body must have a size'),
    v.title('Toy'),
  )
  const query = v.pipe(
    Filters({ color: v.optional(Color), text: v.optional(Text(5)) }),
    v.check(() => true, 'The query must be new'),
  )

  expect(problem({ body, query })).toBeUndefined()
})

test.runIf(has.filter).each<[string, v.ObjectEntries]>([
  ['too long a text', { [example.filter.field]: Text(501) }],
  [
    'a text that only a pattern limits',
    { [example.filter.field]: v.pipe(Text(501), v.regex(/^.{3}$/)) },
  ],
  ['a list', { [example.filter.field]: v.optional(TextList(3, 5)) }],
  ['no field', {}],
])('no list is filtered by %s', (_, fields) => {
  const { table, filter } = example
  const rest = Object.fromEntries(
    Object.entries(fields).map(([name, schema]) => [name, described(schema)]),
  )

  expect(contractProblem({}, { ...resources, [table]: { collection: { fields: rest } } })).toBe(
    `${table} has the filter ${filter.field}, which is no field with a single value of at most 500 characters.`,
  )
})

const single = Object.entries(kinds).filter(([, { parameter }]) => parameter)

test.each([...single, ['text of 500 characters', { schema: Text(500) }] as const])(
  'a list can be filtered by a %s',
  (_, { schema }) => {
    const { table, filter } = example

    for (const each of [schema, v.optional(v.pipe(schema, isNew, v.description('new')))])
      expect(
        contractProblem(
          {},
          { ...resources, [table]: { collection: { fields: { [filter.field]: each } } } },
        ),
      ).toBeUndefined()
  },
)

test('a list is filtered by the one of several fields that is given', async () => {
  const { table } = example
  const before = collections[table]
  onTestFinished(() => void Object.assign(collections, { [table]: before }))
  Object.assign(collections, { [table]: ['color', 'size'] })
  const list = vi.fn(async () => ({ items: [] }))

  await example.collection.list({ list } as never, { limit: 1, size: 'red' } as never)

  const filter = { field: 'size', value: 'red' }
  expect(list).toHaveBeenCalledWith(expect.objectContaining({ filter }))
})

test('a base path has one part', () => {
  const { basePath } = service
  onTestFinished(() => void Object.assign(service, { basePath }))
  Object.assign(service, { basePath: '/desk/v2' })

  expect(contractProblem({}, resources)).toBe(
    'The basePath /desk/v2 is not one part, such as /v1, as a stage of API Gateway is.',
  )
})
