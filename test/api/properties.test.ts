import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import * as v from 'valibot'
import { expect, test } from 'vitest'
import { contract } from '../../shared/contract.ts'
import { exactJson, stringifyJson } from '../../shared/model/json.ts'
import { cursorAfter } from '../../shared/model/paging.ts'
import { type Entry, type ObjectSchema, partsOf } from '../../shared/pipeline/entry.ts'
import {
  call,
  callAnonymously,
  create,
  expectCommonHeaders,
  remove,
  update,
} from '../support/api.ts'
import { example, has, type Resource } from '../support/example.ts'
import type { Received } from '../support/http.ts'
import { anyText, valuesOf } from '../support/values.ts'

const { path: list, text } = example
const { field, value, other } = example.filter
const creation: ObjectSchema = contract[example.create].body
const entry: Entry | undefined = has.change ? contract[example.change.operation] : undefined
const change: ObjectSchema = entry?.body ?? v.object({})
const all = { entries: { ...creation.entries, ...change.entries } }

/** Tries all examples, and then as many random values as `REQUESTS` says. */
const tries = <T>(examples: T[] = []) => ({
  numRuns: examples.length + Number(process.env.REQUESTS ?? 20),
  examples: examples.map((example): [T] => [example]),
})

/** A part of a request, and the status of the response if it is invalid. */
type Part<Value> = { value: Value; refused?: number }

/** Draws a part, mostly a valid one. The invalid values are listed by status. */
const part = <Value>(
  valid: fc.Arbitrary<Value>,
  invalid: Record<number, Value[]>,
): fc.Arbitrary<Part<Value>> => {
  const refused = Object.entries(invalid).map(([status, values]) =>
    fc.constantFrom(...values).map((value) => ({ value, refused: Number(status) })),
  )
  return fc.oneof({ weight: 5, arbitrary: valid.map((value) => ({ value })) }, ...refused)
}

const words = (text: string): string[] => text.trim().split(/\s+/)

type Fields = Record<string, unknown>

const exact = (json: string): unknown => exactJson(json, JSON.parse(json))

/** Draws the fields of a body. */
const fieldsOf = (schema: ObjectSchema): fc.Arbitrary<Fields> => {
  const fields = Object.entries(schema.entries)
  const values = Object.fromEntries(fields.map(([name, each]) => [name, valuesOf(each)]))
  const required = fields.filter(([, { type }]) => !type.endsWith('optional'))
  return fc
    .record(values, { requiredKeys: required.map(([name]) => name) })
    .filter((drawn) => v.is(schema, drawn))
}

/** The fields of a resource that clients may send, in a request with this schema or in any. */
const sentOf = ({ text }: Received, { entries }: Pick<ObjectSchema, 'entries'> = all): Fields =>
  Object.fromEntries(Object.entries(Object(exact(text))).filter(([name]) => name in entries))

const SENT = JSON.stringify(example.body())
const OTHER = text.toUpperCase()
const WRONG_VALUES = words(`"" ["Rex"] "\\ud800" "7" "gone" 1.5 9223372036854775808 true null {}`)
const isWrong = (name: string, json: string) =>
  [creation, change].every(
    ({ entries: { [name]: schema } }) => schema && !v.is(schema, exact(json)),
  )
const WRONG_FIELDS = Object.keys(all.entries).flatMap((name) =>
  WRONG_VALUES.filter((json) => isWrong(name, json)).map((json) => `"${name}":${json}`),
)
const WRONG_JSON = words(`"\\u005f_proto__":1 "a":[{"__proto__":1}] "a":01 "a":NaN "a":1,`)
/** The body of a request, and its fields if they are known. Other bodies may be a 400. */
type Body = { sent: string | Buffer; fields?: Fields }

/** Bodies that neither create nor change anything. */
const invalidBodies: Body[] = [
  ...[...WRONG_FIELDS, ...WRONG_JSON].map((wrong) => SENT.replace(/}$/, `,${wrong}}`)),
  ...['{}', `{"${OTHER}":"Rex"}`].filter((json) => !v.is(change, JSON.parse(json))),
  ...['[]', 'null', '"Rex"', `[${SENT}]`, `${SENT}}`, ' ', `\ufeff${SENT}`, SENT.slice(1)],
  Buffer.from(SENT.replace('Rex', '\xff'), 'latin1'),
  Buffer.from(SENT, 'utf16le'),
].map((sent) => ({ sent }))

const bodyWith = (fields: fc.Arbitrary<Fields>): fc.Arbitrary<Part<Body>> => {
  const unknown = fc
    .dictionary(fc.oneof(anyText, fc.constantFrom('id', OTHER, 'toString')), fc.jsonValue(), {
      maxKeys: 3,
    })
    .filter((fields) => !/__proto__|constructor/.test(JSON.stringify(fields))) // The body parser refuses these.
  const valid = fc.tuple(fields, unknown, fc.nat(2)).map(([fields, unknown, indent]) => ({
    sent: stringifyJson({ ...unknown, ...fields }, indent),
    fields,
  }))
  const altered = fc
    .tuple(valid, fc.double({ min: 0, max: 1, noNaN: true }), anyText)
    .map(([{ sent }, at, added]) => ({
      sent: sent.slice(0, at * sent.length) + added + sent.slice(at * sent.length + 1),
    }))
  const json = fc.json().map((sent) => ({ sent }))
  const tooLarge = { sent: SENT.padEnd(256 * 1024 + 1) }
  return part<Body>(fc.oneof(valid, valid, altered, json), { 400: invalidBodies, 413: [tooLarge] })
}

const sender = part(fc.constant(call), { 401: [callAnonymously] })
const type = part<string | undefined>(
  fc.constantFrom(
    'application/json',
    'APPLICATION/JSON',
    'application/json ; charset=utf-8',
    'application/a+json',
  ),
  {
    415: [undefined, 'text/plain', 'text/json', 'application/jsonx', 'application/json, a/b'],
  },
)
// The lines of a header, with {tag} for that of a resource, and {new} for a new value.
const idempotencyKey = part<string[]>(fc.constantFrom([], ['{new}'], ['"\\"{new}"']), {
  400: [['""'], ['"a'], ['a b'], ['"\\a"'], ['a'.repeat(256)], ['a', 'a']],
})
const ifMatch = part<string[]>(fc.constantFrom([], ['*'], ['"a"', 'W/"a",, {tag} ,']), {
  400: [['a'], ['"a" "b"'], ['*, "a"'], ['*', '*'], [Array(11).fill('"a"').join()]],
  412: [['"a"'], ['W/{tag}, "", "*"']],
})

/** The statuses with which the service refuses a request, in the order of its checks. */
const CHECKS = [401, 413, 415, 400, 412]

type Kind = [string, string, number, ObjectSchema, string, fc.Arbitrary<Part<string[]>>]
const creates: Kind = ['creates', 'POST', 201, creation, 'Idempotency-Key', idempotencyKey]
const changes: Kind = ['changes', 'PATCH', 200, change, 'If-Match', ifMatch]

test.each(has.change ? [creates, changes] : [creates])(
  'a request %s exactly what it describes, or gets the error of its first wrong part',
  async (...row) => {
    const [, method, success, schema, headerName, header] = row
    const requests = fc.record({ sender, type, header, body: bodyWith(fieldsOf(schema)) })
    const property = fc.asyncProperty(requests, async (parts) => {
      const rex = await create(SENT)
      const { sent, fields } = parts.body.value
      const path = method === 'POST' ? list : `${list}/${savedIn(rex).id}`
      const type = parts.type.value && { 'Content-Type': parts.type.value }
      const tag = rex.headers.etag ?? ''
      const lines = parts.header.value.map((line) =>
        line.replace('{tag}', tag).replace('{new}', randomUUID()),
      )

      const response = await parts.sender.value({
        method,
        path,
        headers: { ...type, [headerName]: lines },
        body: sent,
      })

      const refused = Object.values(parts).map((part) => part.refused)
      const expected = CHECKS.find((status) => refused.includes(status)) ?? success
      expect(response.status).toBeOneOf(fields || parts.body.refused ? [expected] : [expected, 400])
      expectCommonHeaders(response)
      const latest = response.status === success ? response : rex
      const { id, [text]: saved } = savedIn(latest)
      expect(
        Object.keys(savedIn(latest)).filter((name) => !(name in example.schema.entries)),
      ).toEqual([])
      if (response.status === success && fields) {
        const described = v.parse(schema, exact(stringifyJson(fields)))
        const isChange = method === 'PATCH'
        const expected = Object.entries({ ...(isChange && sentOf(rex)), ...described })
        expect(sentOf(response, isChange ? all : creation)).toEqual(
          Object.fromEntries(expected.filter(([, value]) => value !== null)),
        )
      }
      if (has.change) expect(sentOf(await update(id, { [text]: saved }))).toEqual(sentOf(latest))
    })

    const valid = {
      sender: { value: call },
      type: { value: 'application/json' },
      header: { value: [] },
    }
    // What is no body of a create is none of a change.
    const bodies = method === 'POST' ? invalidBodies : []
    const examples = bodies.map((value) => ({ ...valid, body: { value, refused: 400 } }))
    await fc.assert(property, tries(examples))
  },
)

// `call` compares each response with the document.
const savedIn = ({ body }: Received): Resource => Object(body)

const cursor = `cursor=${cursorAfter(Number.MAX_SAFE_INTEGER)}`
const wrongValues = ['', 'gone', `${value}`.toUpperCase(), `${value}#`, 'toString', '__proto__']
const filterEntries = Object(partsOf(contract[example.list]).query).entries ?? {}
const WRONG_FILTERS = wrongValues
  .filter((sent) => has.filter && !v.is(filterEntries[field], sent))
  .map((sent) => `${field}=${encodeURIComponent(sent)}`)
  .concat(has.filter ? `${field}=${value}&${field}=${value}` : [])
const INVALID_QUERIES = words(`
  limit= limit=0 limit=-1 limit=101 limit=abc limit=7%0A limit=1.5 limit=01 limit=%D9%A3 limit=%
  limit=1&limit=1 ${WRONG_FILTERS.join(' ')}
  cursor= ${cursor}A ${cursor}&${cursor} cursor=%00 cursor=${'A'.repeat(16)}`)
// Malformed pairs and percent-encodings, which name no known parameter.
const MALFORMED = words(
  '& && = &= % %zz=1 a=%ff%fe a=%ED%A0%80 ; a=b=c ? a[0][b]=1 limit[]=0&__proto__=x&Limit=0',
)

test('a list has what its query describes, or its query is a 400', async () => {
  const limit = fc.constantFrom('1', '2', '7', '99', '100')
  const queries = fc.record({
    known: fc.record(
      { limit, ...(has.filter && { [field]: fc.constantFrom(`${value}`, `${other}`) }) },
      { requiredKeys: [] },
    ),
    unknown: fc.dictionary(anyText, anyText, { maxKeys: 2 }),
    rest: part(fc.constantFrom('', cursor, ...MALFORMED), { 400: INVALID_QUERIES }),
  })
  const property = fc.asyncProperty(queries, async ({ known, unknown, rest }) => {
    const response = await call({
      path: `${list}?${new URLSearchParams({ ...unknown, ...known })}&${rest.value}`,
    })

    expect(response.status).toBe(rest.refused ?? 200)
    expectCommonHeaders(response)
    if (rest.refused) return
    const resources = response.body as Resource[] // As the document says.
    const { limit = 20, [field]: wanted } = known
    expect(resources.length).toBeLessThanOrEqual(Number(limit))
    expect(resources.filter((each) => wanted && `${each[field]}` !== wanted)).toEqual([])
  })

  const rests = [
    ...MALFORMED.map((value) => ({ value })),
    ...INVALID_QUERIES.map((value) => ({ value, refused: 400 })),
  ]
  await fc.assert(property, tries(rests.map((rest) => ({ known: {}, unknown: {}, rest }))))
})

const sendToOne: typeof remove = has.remove ? remove : (id) => update(id, example.change.body)

test.runIf(has.change || has.remove)('every id of nothing gets a 404', async () => {
  const ids = fc.oneof(fc.bigInt().map(String), anyText.map(encodeURIComponent))
  const property = fc.asyncProperty(ids, async (id) => {
    expect((await sendToOne(id)).status).toBe(404)
  })

  await fc.assert(property, tries(['1', '01', 'abc']))
})
