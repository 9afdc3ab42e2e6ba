import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { goodBody, type PetBody } from './good-body.ts'
import type { Body } from './request.ts'

const REX = '{"name":"Rex","categoryId":7}'

const WRONG_NAMES = ['""', '" \\t"', '5', 'null', 'true', '[]', '{}', '"\\ud800"', '"\\ufffd"', `"${'a'.repeat(1001)}"`]
const WRONG_IDS = [
  ...[
    '9223372036854775808',
    '-9223372036854775809',
    '1.5',
    '"7"',
    'null',
    'true',
    '[7]',
    '{}',
    '1e18',
    '1e400',
    '1e-1',
  ],
  ...['9007199254740993.0', '0.1e-400', '-1e-999'],
]
const WRONG_STATUSES = ['"gone"', '"Sold"', '""', 'null', '1', '["sold"]', '"toString"', '"__proto__"']

const WRONG_JSON = [
  ...['', ' ', '[]', 'null', 'true', '5', '"Rex"', '{}', `[${REX}]`, `"${REX.replaceAll('"', '\\"')}"`],
  ...['{"name":"Rex"}', '{"categoryId":7}', `${REX}${REX}`, `${REX},`, `\ufeff${REX}`, `${REX}\0`, `// Rex\n${REX}`],
  ...["{'name':'Rex','categoryId':7}", '{"name":"Rex","categoryId":7,}', '{name:"Rex",categoryId:7}'],
  ...['01', '+7', '7.', '.7', '0x7', '7n', 'NaN', 'Infinity', '7_0'].map((id) => REX.replace('7', id)),
  ...['"__proto__":{},', '"\\u005f_proto__":1,', '"a":[{"__proto__":1}],', '"constructor":{"prototype":1},'].map(
    (field) => REX.replace('{', `{${field}`),
  ),
  ...['\t', '\n', '\0', '\u001f'].map((control) => REX.replace('Rex', control)),
]

const WRONG_BYTES: Body[] = [
  { text: REX, encoding: 'utf16le' },
  { text: Buffer.from(REX).toString('base64') },
  { text: gzipSync(REX).toString('base64'), encoding: 'base64' },
  ...['\xe9', '\xff', '\xc3(', '\xc0\x80', '\xed\xa0\x80', '\xf4\x90\x80\x80', '\xf0\x9f'].map(
    (bytes): Body => ({ text: REX.replace('Rex', bytes), encoding: 'latin1' }),
  ),
]

const wrongField = fc
  .oneof(
    fc.constantFrom(...WRONG_NAMES).map((name) => `{"categoryId":7,"name":${name}}`),
    fc.constantFrom(...WRONG_IDS).map((id) => `{"name":"Rex","categoryId":${id}}`),
    fc.constantFrom(...WRONG_STATUSES).map((status) => `{"name":"Rex","categoryId":7,"status":${status}}`),
  )
  .map((text): Body => ({ text }))

const cut = fc.tuple(goodBody, fc.nat()).map(([{ body }, length]): Body => {
  const text = body?.text.trim() ?? ''
  return { text: text.slice(0, length % text.length) }
})

const bad = fc.oneof(
  { weight: 3, arbitrary: wrongField },
  { weight: 2, arbitrary: fc.constantFrom(...WRONG_JSON).map((text): Body => ({ text })) },
  { weight: 1, arbitrary: fc.constantFrom(...WRONG_BYTES) },
  { weight: 1, arbitrary: cut },
)

/** A body that is no pet. */
export const badBody: fc.Arbitrary<PetBody> = fc
  .option(bad, { freq: 30, nil: undefined })
  .map((body): PetBody => ({ ...(body && { body }), refused: 'always' }))
