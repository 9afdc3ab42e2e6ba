import { gzipSync } from 'node:zlib'
import fc from 'fast-check'

/** Whether the service refuses a request because of one part of it. */
export type Refused = 'never' | 'maybe' | 'always'

/** The bytes of a body, each written as one character, and the pet in the response if it is accepted, with `{id}` for its id. */
export type PetBody = { body?: string; wanted?: string; refused: Refused }

const bytesOf = (text: string, encoding?: BufferEncoding): string => Buffer.from(text, encoding).toString('latin1')

/** Draws from one of the arbitraries, with these weights. */
export const weighted = <T>(...choices: [weight: number, arbitrary: fc.Arbitrary<T>][]): fc.Arbitrary<T> =>
  fc.oneof(...choices.map(([weight, arbitrary]) => ({ weight, arbitrary })))

export const character = (min: number, max: number): fc.Arbitrary<string> =>
  fc.integer({ min, max }).map((code) => String.fromCharCode(code))

/** Splits a text at white space. */
export const words = (text: string): string[] => text.trim().split(/\s+/)

/** Replaces `removed` characters of a text by `inserted`; `at` wraps around at the end of the text. */
const spliced = (text: string, at: number, removed: number, inserted: string): string => {
  const position = at % (text.length + 1)
  return text.slice(0, position) + inserted + text.slice(position + removed)
}

const STRANGE_NAMES = [...words('null __proto__ :shard #name <b>&amp;</b> {"N":"1"} \u202eRex'), "';--", '\0', '\u2028']
const LONG_NAMES = ['a'.repeat(1000), '\u{1f9a6}'.repeat(1000), 'e\u0301'.repeat(500), `${' '.repeat(999)}a`]
const name = weighted(
  [8, fc.string({ unit: 'binary', minLength: 1, maxLength: 40 })],
  [4, fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 })],
  [4, fc.constantFrom(...STRANGE_NAMES)],
  [1, fc.constantFrom(...LONG_NAMES)],
  [1, fc.string({ unit: 'binary', minLength: 900, maxLength: 1000, size: 'max' })],
).filter((text) => text.trim() !== '' && !text.includes('\ufffd') && [...text].length <= 1000)

const INT64 = { min: -(2n ** 63n), max: 2n ** 63n - 1n }
const EDGES = [INT64.min, INT64.max, 2n ** 53n, 2n ** 53n + 1n, -(2n ** 53n) - 1n, 0n, -1n, 2n ** 31n, 10n ** 18n]

/** An int64, and the digits that the response must have. */
const categoryId = fc.oneof(
  fc.oneof(fc.bigInt(INT64), fc.constantFrom(...EDGES)).map((id) => [`${id}`, `${id}`] as const),
  fc.integer().map((id) => [`${id}.0`, `${id}`] as const),
  fc.integer().map((id) => [`${id}e3`, `${id * 1000}`] as const),
  fc.integer({ min: 1 }).map((id) => [`-${id}00E-2`, `-${id}`] as const),
  fc.constant(['-0', '0'] as const),
)

// The body parser rejects these keys at any depth.
const isAllowed = (json: string): boolean => !/__proto__|constructor/.test(json)

const SIMILAR_KEYS = ['', 'name ', ...words('id Name categoryID creation statusShard toString hasOwnProperty')]
const unknownKey = fc
  .oneof(fc.constantFrom(...SIMILAR_KEYS), fc.string({ unit: 'binary' }))
  .filter((key) => !['name', 'categoryId', 'status'].includes(key) && isAllowed(key))
const unknownValue = fc.oneof(fc.json(), fc.bigInt().map(String), fc.constantFrom('1e999', '-0.0e-999', '"\\ud800"'))

const escaped = (text: string): string =>
  `"${text.replaceAll(/[\s\S]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)}"`

/** The pet that `{fresh}` stands for in a target, without its id. */
export const FRESH = '{"name":"Rex","categoryId":7,"status":"sold"}'

type Fields = { name?: string; categoryId?: readonly [sent: string, digits: string]; status?: string | null }

const STATUSES = ['available', 'pending', 'sold']
const newPet = fc.record<Fields>(
  { name, categoryId, status: fc.constantFrom(...STATUSES) },
  { requiredKeys: ['name', 'categoryId'] },
)
const changes = fc
  .record<Fields>({ name, categoryId, status: fc.constantFrom(...STATUSES, null) }, { requiredKeys: [] })
  .filter((fields) => Object.keys(fields).length > 0)

// Fields that later fields of the same name override.
const OVERRIDDEN: Record<string, string>[] = [{}, {}, {}, { name: '5' }, { categoryId: '"7"', name: '{}' }]

/** A valid body, in one of the many ways to write these fields in JSON. It changes the pet `before`, if there is one. */
const validBody = (fields: fc.Arbitrary<Fields>, before: Fields = {}): fc.Arbitrary<PetBody> =>
  fc
    .record({
      fields,
      unknown: fc.array(fc.tuple(unknownKey, unknownValue.filter(isAllowed)), { maxLength: 3 }),
      overridden: fc.constantFrom(...OVERRIDDEN),
      space: fc.constantFrom('', '', ' ', '\r\n\t'),
      spell: fc.constantFrom(JSON.stringify, JSON.stringify, escaped),
      order: fc.shuffledSubarray([0, 1, 2, 3, 4, 5], { minLength: 6 }),
    })
    .map(({ fields, unknown, overridden, space, spell, order }) => {
      const json = (value: Fields[keyof Fields]) =>
        Array.isArray(value) ? value[0] : value === null ? 'null' : spell(value)
      const known = Object.entries(fields).map(([key, value]) => [key, json(value)] as const)
      const shuffled = order.flatMap((at) => [...known, ...unknown].slice(at, at + 1))
      const members = [...Object.entries(overridden).filter(([key]) => key in fields), ...shuffled].map(
        ([key, json]) => `${space}${JSON.stringify(key)}${space}:${json}${space}`,
      )
      const after = { ...before, ...fields }
      const status = after.status ? `,"status":"${after.status}"` : ''
      const wanted = `{"id":{id},"name":${JSON.stringify(after.name)},"categoryId":${after.categoryId?.[1]}${status}}`
      return { body: bytesOf(`${space}{${members}}${space}`), wanted, refused: 'never' }
    })

const validPet = validBody(newPet)
const validChanges = validBody(changes, { name: 'Rex', categoryId: ['7', '7'], status: 'sold' })

const REX = '{"name":"Rex","categoryId":7}'
const WRONG_NAMES = ['" \\t"', `"${'a'.repeat(1001)}"`, ...words('"" 5 null true [] {} "\\ud800" "\\ufffd"')]
const WRONG_IDS = words(`9223372036854775808 -9223372036854775809 1.5 "7" null true [7] {} 1e18 1e400 1e-1
  9007199254740993.0 0.1e-400 -1e-999 01 +7 7. .7 0x7 7n NaN Infinity 7_0`)
const WRONG_FIELDS = words(`"status":"gone" "status":"Sold" "status":"" "status":null "status":1 "status":["sold"]
  "status":"toString" "__proto__":{} "\\u005f_proto__":1 "a":[{"__proto__":1}] "constructor":{"prototype":1}`)

const NOT_UTF_8 = ['\xe9', '\xff', '\xc3(', '\xc0\x80', '\xed\xa0\x80', '\xf4\x90\x80\x80', '\xf0\x9f']

const refuse = (body: string | undefined): PetBody => ({ ...(body !== undefined && { body }), refused: 'always' })

const INVALID = [
  undefined,
  ...WRONG_NAMES.map((name) => REX.replace('"Rex"', name)),
  ...WRONG_IDS.map((id) => REX.replace('7', id)),
  ...WRONG_FIELDS.map((field) => REX.replace('}', `,${field}}`)),
  ...['\t', '\n', '\0', '\u001f', ...NOT_UTF_8].map((bytes) => REX.replace('Rex', bytes)),
  ...[
    '',
    ' ',
    REX.slice(0, -1),
    `${REX}${REX}`,
    `${REX},`,
    `\xef\xbb\xbf${REX}`,
    `${REX}\0`,
    `// Rex\n${REX}`,
    `[${REX}]`,
  ],
  ...words(`[] null true 5 "Rex" {} {"name":"Rex"} {"categoryId":7} {'name':'Rex','categoryId':7}
    {"name":"Rex","categoryId":7,} {name:"Rex",categoryId:7} ${JSON.stringify(REX)}`),
  ...[bytesOf(REX, 'utf16le'), Buffer.from(REX).toString('base64'), gzipSync(REX).toString('latin1')],
]

/** Bodies of a create that are refused, each for one reason. */
export const invalidBodies: PetBody[] = INVALID.map(refuse)

const VALID_CHANGES = ['{"name":"Rex"}', '{"categoryId":7}', '{"name":"Rex","categoryId":7,"status":null}']

/** Bodies of an update that are refused. */
export const invalidChanges: PetBody[] = INVALID.filter((body = '') => !VALID_CHANGES.includes(body))
  .concat(words('{"name":null} {"categoryId":null} {"status":"gone"} {"id":7} {"Name":"Rex"}'))
  .map(refuse)

/** A valid body in which bytes are replaced, removed or inserted. */
const altered = fc
  .tuple(
    fc.oneof(validPet, validChanges),
    fc.nat(),
    fc.constantFrom(0, 1, 1, 10_000),
    fc.oneof(fc.constant(''), character(0, 255)),
  )
  .map(([{ body = '' }, ...change]) => spliced(body, ...change))

const nested = fc.tuple(fc.constantFrom(100, 5_000, 60_000), fc.constantFrom('[]', '{"a":}')).map(([depth, pair]) => {
  const json = `${pair.slice(0, -1).repeat(depth)}1${pair.slice(-1).repeat(depth)}`
  return REX.replace('}', `,"other":${json}}`)
})

const anyText = fc.oneof(fc.json(), fc.json(), fc.string({ unit: 'binary' }), nested)
const unknownBody = weighted([4, altered], [5, anyText.map((text) => bytesOf(text))])

const bodyOf = (valid: fc.Arbitrary<PetBody>, invalid: PetBody[]): fc.Arbitrary<PetBody> =>
  weighted([6, valid], [2, fc.constantFrom(...invalid)], [1, unknownBody.map((body) => ({ body, refused: 'maybe' }))])

/** The body of a request that adds a pet; two thirds are valid. */
export const petBody = bodyOf(validPet, invalidBodies)

/** The body of a request that changes the pet `FRESH`; two thirds are valid. */
export const changesBody = bodyOf(validChanges, invalidChanges)
