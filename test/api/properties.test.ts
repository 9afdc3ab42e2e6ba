import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { stringifyJson } from '../../shared/model/json.ts'
import { cursorAfter } from '../../shared/model/paging.ts'
import { call, callAnonymously, create, expectCommonHeaders, remove, update } from '../support/api.ts'
import type { Received } from '../support/http.ts'
import type { Pet } from '../support/server.ts'

/** Tries all examples, and then as many random values as `REQUESTS` says. */
const tries = <T>(examples: T[] = []) => ({
  numRuns: examples.length + Number(process.env.REQUESTS ?? 20),
  examples: examples.map((example): [T] => [example]),
})

/** A part of a request, and the status of the response if it is invalid. */
type Part<Value> = { value: Value; refused?: number }

/** Draws a part, mostly a valid one. The invalid values are listed by status. */
const part = <Value>(valid: fc.Arbitrary<Value>, invalid: Record<number, Value[]>): fc.Arbitrary<Part<Value>> => {
  const refused = Object.entries(invalid).map(([status, values]) =>
    fc.constantFrom(...values).map((value) => ({ value, refused: Number(status) })),
  )
  return fc.oneof({ weight: 5, arbitrary: valid.map((value) => ({ value })) }, ...refused)
}

const words = (text: string): string[] => text.trim().split(/\s+/)

const text = fc.string({ unit: 'binary', minLength: 1, maxLength: 40 })
const strangeNames = [...words(':shard #name <b>&amp;</b> {"N":"1"} \u202eRex'), '\u{1f9a6}'.repeat(1000)]
const name = fc
  .oneof(text, fc.constantFrom(...strangeNames))
  .filter((name) => name.trim() !== '' && !name.includes('\ufffd'))
const categoryId = fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n)
const status = fc.constantFrom('available', 'pending', 'sold')

type Fields = { name?: string; categoryId?: bigint; status?: string | null }

const newPet: fc.Arbitrary<Fields> = fc.record({ name, categoryId, status }, { requiredKeys: ['name', 'categoryId'] })
const changes: fc.Arbitrary<Fields> = fc
  .record({ name, categoryId, status: fc.option(status) }, { requiredKeys: [] })
  .filter((fields) => Object.keys(fields).length > 0)

const REX = { name: 'Rex', categoryId: 7, status: 'sold' }
const SENT = JSON.stringify(REX)
const WRONG_FIELDS = words(`
  "name":"" "name":["Rex"] "name":"\\ud800" "name":"\\ufffd" "categoryId":"7" "categoryId":1.5 "categoryId":1e400
  "categoryId":9223372036854775808 "categoryId":9007199254740993.0 "categoryId":-1e-999 "status":"gone" "status":"toString"
  "__proto__":{} "\\u005f_proto__":1 "a":[{"__proto__":1}] "constructor":{"prototype":1} "a":01 "a":NaN "a":1,`)
const INVALID_UTF_8 = ['\xff', '\xc3(', '\xc0\x80', '\xed\xa0\x80', '\xf4\x90\x80\x80']

/** The body of a request, and its fields if they are known. Other bodies may be a 400. */
type Body = { sent: string | Buffer; fields?: Fields }

/** Bodies that neither add a pet nor change one. */
const invalidBodies: Body[] = [
  ...WRONG_FIELDS.map((field) => SENT.replace('}', `,${field}}`)),
  ...words(`[] null true 5 "Rex" {} {"Name":"Rex"} {"name":null} {"categoryId":null} [${SENT}] ${SENT}}`),
  ...[' ', `\ufeff${SENT}`, SENT.slice(1), SENT.replace('Rex', '\t'), JSON.stringify(SENT)],
  ...INVALID_UTF_8.map((bytes) => Buffer.from(SENT.replace('Rex', bytes), 'latin1')),
  Buffer.from(SENT, 'utf16le'),
].map((sent) => ({ sent }))

const bodyWith = (fields: fc.Arbitrary<Fields>): fc.Arbitrary<Part<Body>> => {
  const unknown = fc
    .dictionary(fc.oneof(text, fc.constantFrom('id', 'Name', 'shard', 'toString')), fc.jsonValue(), { maxKeys: 3 })
    .filter((fields) => !/__proto__|constructor/.test(JSON.stringify(fields))) // The body parser refuses these.
  const valid = fc
    .tuple(fields, unknown, fc.nat(2))
    .map(([fields, unknown, indent]) => ({ sent: stringifyJson({ ...unknown, ...fields }, indent), fields }))
  const altered = fc.tuple(valid, fc.double({ min: 0, max: 1, noNaN: true }), text).map(([{ sent }, at, added]) => ({
    sent: sent.slice(0, at * sent.length) + added + sent.slice(at * sent.length + 1),
  }))
  const json = fc.json().map((sent) => ({ sent }))
  const tooLarge = { sent: SENT.padEnd(256 * 1024 + 1) }
  return part<Body>(fc.oneof(valid, valid, altered, json), { 400: invalidBodies, 413: [tooLarge] })
}

const sender = part(fc.constant(call), { 401: [callAnonymously] })
const type = part<string | undefined>(
  fc.constantFrom('application/json', 'APPLICATION/JSON', 'application/json ; charset=utf-8', 'application/a+json'),
  { 415: [undefined, 'text/plain', 'text/json', 'json', 'application/jsonx', 'application/json, a/b'] },
)
// The lines of a header, with {tag} for that of a pet, and {new} for a new value.
const idempotencyKey = part<string[]>(fc.constantFrom([], ['{new}'], ['"\\"{new}"']), {
  400: [['""'], ['"a'], ['a b'], ['"\\a"'], ['a'.repeat(256)], ['a', 'a']],
})
const ifMatch = part<string[]>(fc.constantFrom([], ['*'], ['"a"', 'W/"a",, {tag} ,']), {
  400: [['a'], ['"a" "b"'], ['*, "a"'], ['*', '*'], [Array(11).fill('"a"').join()]],
  412: [['"a"'], ['W/{tag}, "", "*"']],
})

/** The statuses with which the service refuses a request, in the order of its checks. */
const CHECKS = [401, 413, 415, 400, 412]

test.each<[string, string, number, fc.Arbitrary<Fields>, string, fc.Arbitrary<Part<string[]>>]>([
  ['adds', 'POST', 201, newPet, 'Idempotency-Key', idempotencyKey],
  ['changes', 'PATCH', 200, changes, 'If-Match', ifMatch],
])('a request %s exactly the pet that it describes, or gets the error of its first wrong part', async (...row) => {
  const [, method, success, fields, headerName, header] = row
  const requests = fc.record({ sender, type, header, body: bodyWith(fields) })
  const property = fc.asyncProperty(requests, async (parts) => {
    const rex = await create(SENT)
    const { sent, fields } = parts.body.value
    const path = method === 'POST' ? '/pets' : `/pets/${petIn(rex).id}`
    const type = parts.type.value && { 'Content-Type': parts.type.value }
    const tag = rex.headers.etag ?? ''
    const lines = parts.header.value.map((line) => line.replace('{tag}', tag).replace('{new}', randomUUID()))

    const response = await parts.sender.value({ method, path, headers: { ...type, [headerName]: lines }, body: sent })

    const refused = Object.values(parts).map((part) => part.refused)
    const expected = CHECKS.find((status) => refused.includes(status)) ?? success
    expect(response.status).toBeOneOf(fields || parts.body.refused ? [expected] : [expected, 400])
    expectCommonHeaders(response)
    const latest = response.status === success ? response : rex
    const { id, name: stored } = petIn(latest)
    if (response.status === success && fields) {
      const { name, categoryId, status } = { ...(method === 'PATCH' && REX), ...fields }
      expect(response.text).toBe(stringifyJson({ id, name, categoryId, status: status ?? undefined }))
    }
    expect((await update(id, { name: stored })).text).toBe(latest.text)
  })

  const valid = { sender: { value: call }, type: { value: 'application/json' }, header: { value: [] } }
  await fc.assert(property, tries(invalidBodies.map((value) => ({ ...valid, body: { value, refused: 400 } }))))
})

const petIn = ({ body }: Received): Pet => Object(body) // As the document says; `call` compares each response with it.

const cursor = `cursor=${cursorAfter(Number.MAX_SAFE_INTEGER)}`
const INVALID_QUERIES = words(`
  limit= limit=0 limit=101 limit=1.5 limit=01 limit=+1 limit=%201 limit=1e1 limit=%D9%A3 limit=% limit=${'9'.repeat(400)}
  status= status=gone status=Sold status=sold%23 status=toString status=__proto__ limit=1&limit=1 status=sold&status=sold
  cursor= cursor=abc ${cursor}A ${cursor}&${cursor} cursor=%00 cursor=${'A'.repeat(16)} cursor=${'A'.repeat(1000)}`)
// Malformed pairs and percent-encodings, which name no known parameter.
const MALFORMED = words('& && = &= % %zz=1 a=%ff%fe a=%ED%A0%80 ; a=b=c ? a[0][b]=1 limit[]=0&__proto__=x&Limit=0')

test('a list has the pets that its query describes, or its query is a 400', async () => {
  const queries = fc.record({
    known: fc.record({ limit: fc.constantFrom('1', '2', '7', '99', '100'), status }, { requiredKeys: [] }),
    unknown: fc.dictionary(text, text, { maxKeys: 2 }),
    rest: part(fc.constantFrom('', cursor, ...MALFORMED), { 400: INVALID_QUERIES }),
  })
  const property = fc.asyncProperty(queries, async ({ known, unknown, rest }) => {
    const response = await call({ path: `/pets?${new URLSearchParams({ ...unknown, ...known })}&${rest.value}` })

    expect(response.status).toBe(rest.refused ?? 200)
    expectCommonHeaders(response)
    if (rest.refused) return
    const pets = response.body as Pet[] // As the document says.
    expect(pets.length).toBeLessThanOrEqual(Number(known.limit ?? 20))
    expect(pets.filter(({ status }) => status !== (known.status ?? status))).toEqual([])
  })

  const rests = [...MALFORMED.map((value) => ({ value })), ...INVALID_QUERIES.map((value) => ({ value, refused: 400 }))]
  await fc.assert(property, tries(rests.map((rest) => ({ known: {}, unknown: {}, rest }))))
})

test('every id of no pet gets a 404', async () => {
  const ids = fc.oneof(fc.bigInt().map(String), text.map(encodeURIComponent))
  const property = fc.asyncProperty(ids, async (id) => {
    expect((await remove(id)).status).toBe(404)
  })

  await fc.assert(property, tries())
})
