import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { exactJson, stringifyJson } from '../../shared/model/json.ts'
import { cursorAfter } from '../../shared/model/paging.ts'
import type { Pet } from '../../shared/pets/pet.ts'
import {
  call,
  callAnonymously,
  create,
  expectCommonHeaders,
  remove,
  update,
} from '../support/api.ts'
import { newPet } from '../support/pets.ts'

// Schemathesis draws requests of the OpenAPI document. These properties are not in it.

/** Tries all examples, and then as many random values as `REQUESTS` says. */
const tries = <T>(examples: T[] = []) => ({
  numRuns: examples.length + Number(process.env.REQUESTS ?? 20),
  examples: examples.map((example): [T] => [example]),
})

const words = (text: string): string[] => text.trim().split(/\s+/)

const SENT = JSON.stringify(newPet())
const anyText = fc.string({ unit: 'binary', minLength: 1, maxLength: 40 })
const strangeNames = [':shard', '#name', '{"N":"1"}', '\u202eRex', ' 1.0 ', '🦦'.repeat(1000)]
const name = fc.oneof(
  anyText.filter((text) => /\S/.test(text) && !text.includes('\ufffd')),
  fc.constantFrom(...strangeNames),
)
const categoryId = fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n)
const status = fc.constantFrom('available', 'pending', 'sold')
// The body parser refuses the first two.
const KNOWN = ['__proto__', 'constructor', 'name', 'categoryId', 'status']
const unknownNames = fc.oneof(
  anyText.filter((text) => !KNOWN.includes(text)),
  fc.constantFrom('id', 'NAME', 'toString'),
)
const bodies = fc.record({
  pet: fc.record({ name, categoryId, status }, { requiredKeys: ['name', 'categoryId'] }),
  changes: fc
    .record({ name, categoryId, status: fc.option(status) }, { requiredKeys: [] })
    .filter((fields) => Object.keys(fields).length > 0),
  unknown: fc.dictionary(unknownNames, fc.oneof(anyText, fc.double(), fc.constant([{}]))),
  indent: fc.nat(2),
})

test('a pet has exactly the fields that the requests describe', async () => {
  const property = fc.asyncProperty(bodies, async ({ pet, changes, unknown, indent }) => {
    const added = await create(stringifyJson({ ...unknown, ...pet }, indent))
    const { id } = Object(added.body)
    const changed = await update(id, stringifyJson({ ...unknown, ...changes }, indent))

    const { status, ...others } = { ...pet, ...changes }
    expect([added.status, exact(added.text)]).toEqual([201, exact(stringifyJson({ id, ...pet }))])
    const expected = stringifyJson({ id, ...others, ...(status && { status }) })
    expect([changed.status, exact(changed.text)]).toEqual([200, exact(expected)])
  })

  await fc.assert(property, tries())
})

const exact = (json: string): unknown => exactJson(json, JSON.parse(json))

test('a body with any text in it is that of a pet, or a 400', async () => {
  const altered = fc
    .tuple(anyText, fc.nat(SENT.length))
    .map(([text, at]) => SENT.slice(0, at) + text + SENT.slice(at + 1))
  const property = fc.asyncProperty(fc.oneof(altered, fc.json()), async (body) => {
    const response = await create(body)

    expect(response.status).toBeOneOf([201, 400])
    expectCommonHeaders(response)
  })

  await fc.assert(property, tries())
})

/** A part of a request, and the status of the response if it is invalid. */
type Part<Value> = { value: Value; refused?: number }

/** Draws a part, mostly a valid one. The invalid values are listed by status. */
const part = <Value>(
  valid: Value[],
  invalid: Record<number, Value[]>,
): fc.Arbitrary<Part<Value>> => {
  const refused = Object.entries(invalid).map(([status, values]) =>
    fc.constantFrom(...values).map((value) => ({ value, refused: Number(status) })),
  )
  const accepted = fc.constantFrom(...valid).map((value) => ({ value }))
  return fc.oneof({ weight: 5, arbitrary: accepted }, ...refused)
}

const WRONG_FIELDS = words(`
  "name":"" "name":["Rex"] "name":"\\ud800" "name":7 "name":null
  "categoryId":"7" "categoryId":1.5 "categoryId":9223372036854775808 "categoryId":null
  "status":"gone" "status":"" "status":7 "status":{}
  "\\u005f_proto__":1 "a":[{"__proto__":1}] "a":01 "a":NaN "a":1,`)
const invalidBodies = [
  ...WRONG_FIELDS.map((wrong) => SENT.replace(/}$/, `,${wrong}}`)),
  ...['{}', '{"NAME":"Rex"}', '[]', 'null', '"Rex"', `[${SENT}]`, `${SENT}}`, ' '],
  ...[`\ufeff${SENT}`, SENT.slice(1), Buffer.from(SENT, 'utf16le')],
  Buffer.from(SENT.replace('Rex', '\xff'), 'latin1'),
]
const json = words(
  'application/json APPLICATION/JSON application/json;charset=utf-8 application/a+json',
)
const notJson = ['text/plain', 'text/json', 'application/jsonx', 'application/json, a/b']
const parts = {
  sender: part([call], { 401: [callAnonymously] }),
  type: part<string | undefined>([...json, 'application/json ; a=b'], {
    415: [undefined, ...notJson],
  }),
  body: part([SENT], { 413: [SENT.padEnd(256 * 1024 + 1)], 400: invalidBodies }),
}
// The lines of a header, with {new} for a new value, and {tag} for that of the pet.
const idempotencyKey = part([[], ['{new}'], ['"\\"{new}"']], {
  400: [['""'], ['"a'], ['a b'], ['"\\a"'], ['a'.repeat(256)], ['a', 'a']],
})
const ifMatch = part([[], ['*'], ['"a"', 'W/"a",, {tag} ,']], {
  400: [['a'], ['"a" "b"'], ['*, "a"'], ['*', '*'], [Array(11).fill('"a"').join()]],
  412: [['"a"'], ['W/{tag}, "", "*"']],
})

/** The statuses with which the service refuses a request, in the order of its checks. */
const CHECKS = [401, 413, 415, 400, 412]

test.each([
  ['POST', 201, 'Idempotency-Key', idempotencyKey],
  ['PATCH', 200, 'If-Match', ifMatch],
] as const)(
  'a %s with invalid parts gets the error of the first check, and changes nothing',
  async (method, success, headerName, header) => {
    const property = fc.asyncProperty(fc.record({ ...parts, header }), async (drawn) => {
      const { sender, type, body } = drawn
      const rex = await create(SENT)
      const { id } = Object(rex.body)
      const lines = drawn.header.value.map((line) =>
        line.replace('{tag}', rex.headers.etag ?? '').replace('{new}', randomUUID()),
      )

      const response = await sender.value({
        method,
        path: method === 'POST' ? '/pets' : `/pets/${id}`,
        headers: { ...(type.value && { 'Content-Type': type.value }), [headerName]: lines },
        body: body.value,
      })

      const refused = Object.values(drawn).map((each) => each.refused)
      const expected = CHECKS.find((status) => refused.includes(status))
      expect(response.status).toBe(expected ?? success)
      expectCommonHeaders(response)
      expect((await update(id, { name: 'Rex' })).text).toBe(rex.text)
    })

    const valid = { sender: { value: call }, type: { value: json[0] }, header: { value: [] } }
    // What is no body of a create is none of a change.
    const bodies = method === 'POST' ? invalidBodies : []
    const examples = bodies.map((value) => ({ ...valid, body: { value, refused: 400 } }))
    await fc.assert(property, tries(examples))
  },
)

const cursor = `cursor=${cursorAfter(Number.MAX_SAFE_INTEGER)}`
const INVALID_QUERIES = words(`
  limit= limit=0 limit=-1 limit=101 limit=abc limit=7%0A limit=1.5 limit=01 limit=%D9%A3 limit=%
  limit=1&limit=1 status= status=gone status=SOLD status=sold%23 status=toString status=__proto__
  status=sold&status=sold cursor= ${cursor}A ${cursor}&${cursor} cursor=%00
  cursor=${'A'.repeat(16)}`)
// Malformed pairs and percent-encodings, which name no known parameter.
const MALFORMED = words(
  '& && = &= % %zz=1 a=%ff%fe a=%ED%A0%80 ; a=b=c ? a[0][b]=1 limit[]=0&__proto__=x&Limit=0',
)

test('a list has what its query describes, or its query is a 400', async () => {
  const limit = fc.constantFrom('1', '2', '7', '99', '100')
  const queries = fc.record({
    known: fc.record({ limit, status }, { requiredKeys: [] }),
    unknown: fc.dictionary(anyText, anyText, { maxKeys: 2 }),
    rest: part(['', cursor, ...MALFORMED], { 400: INVALID_QUERIES }),
  })
  const property = fc.asyncProperty(queries, async ({ known, unknown, rest }) => {
    const response = await call({
      path: `/pets?${new URLSearchParams({ ...unknown, ...known })}&${rest.value}`,
    })

    expect(response.status).toBe(rest.refused ?? 200)
    expectCommonHeaders(response)
    if (rest.refused) return
    const pets = response.body as Pet[] // As the document says.
    expect(pets.length).toBeLessThanOrEqual(Number(known.limit ?? 20))
    expect(pets.filter((pet) => known.status && pet.status !== known.status)).toEqual([])
  })

  const rests = [
    ...MALFORMED.map((value) => ({ value })),
    ...INVALID_QUERIES.map((value) => ({ value, refused: 400 })),
  ]
  await fc.assert(property, tries(rests.map((rest) => ({ known: {}, unknown: {}, rest }))))
})

test('every id of nothing gets a 404', async () => {
  const ids = fc.oneof(fc.bigInt().map(String), anyText.map(encodeURIComponent))
  const property = fc.asyncProperty(ids, async (id) => {
    expect((await remove(id)).status).toBe(404)
  })

  await fc.assert(property, tries(['1', '01', 'abc']))
})
