import * as v from 'valibot'
import { expect, test } from 'vitest'
import { changesOf } from '../../../shared/model/fields.ts'
import { Id } from '../../../shared/model/id.ts'
import { Int64, Int64Text } from '../../../shared/model/int64.ts'
import { exactJson, stringifyJson } from '../../../shared/model/json.ts'
import { Limit } from '../../../shared/model/paging.ts'
import { Text } from '../../../shared/model/text.ts'
import { Day, Timestamp } from '../../../shared/model/timestamp.ts'

const words = (text: string): string[] => text.trim().split(/\s+/)
const otter = '\u{1f9a6}'

/** Fields of bodies: JSON that they accept unchanged, that they change, and that they refuse. */
const fields = [
  {
    field: 'Text(80)',
    schema: Text(80),
    valid: ['"Rex"', '" 7 "', '"\u200b"', '"\\u0000e\u0301"', `"${otter.repeat(80)}"`],
    changed: { '"\\u0041"': '"A"' },
    invalid: [
      '"\u00a0\u3000\\t\\n\\u000b\\f\u2028\u2029\ufeff"',
      ...words(`"" "${otter.repeat(81)}" "Max\\ud83d" "\\udc15Max" "Max\\ufffd" 7 null ["Max"]`),
    ],
  },
  {
    field: 'Int64',
    schema: Int64,
    valid: words(`0 -9007199254740991 9007199254740992 -9007199254740993
      9223372036854775807 -9223372036854775808`),
    changed: {
      '1200E-2': '12',
      '0.00000000000001e14': '1',
      '1e3': '1000',
      '-0': '0',
      '368813031867639.0': '368813031867639',
    },
    invalid:
      words(`9223372036854775808 -9223372036854775809 9007199254740993.0 899999999999999.99 1e17 1.5 1e400 1E-400
      "7" true null`),
  },
  {
    field: 'Id',
    schema: Id,
    valid: words('1 9007199254740991'),
    changed: { '1.0': '1', '1e3': '1000' },
    invalid: words('0 -1 1.5 9007199254740992 "7" null'),
  },
  {
    field: 'Day',
    schema: Day,
    valid: words('"2024-02-29" "2026-12-31"'),
    changed: {},
    invalid: words('"2026-02-30" "2025-02-29" "2026-13-01" "2026-1-1" "2026-11-20T00:00:00Z" 7'),
  },
  {
    field: 'Timestamp',
    schema: Timestamp,
    valid: words('"2024-02-29T23:59:59Z"'),
    changed: {},
    invalid: words('"2026-02-30T00:00:00Z" "2026-11-20T24:00:00Z" "2026-11-20T00:60:00Z" ""'),
  },
]

const parse = (schema: v.GenericSchema, json: string) => v.safeParse(schema, exactJson(json))

test.each(fields)('$field accepts these values, digit for digit', ({ schema, valid, changed }) => {
  const expected = { ...Object.fromEntries(valid.map((json) => [json, json])), ...changed }

  for (const [sent, read] of Object.entries(expected))
    expect(stringifyJson(parse(schema, sent).output)).toBe(read)
})

test.each(fields)('$field refuses these values', ({ schema, invalid }) => {
  expect(invalid.filter((json) => parse(schema, json).success)).toEqual([])
})

test.each([
  ['Int64Text', Int64Text, words('0 -7 9223372036854775807 -9223372036854775808')],
  ['Limit', Limit, words('1 20 100')],
])('%s reads digits exactly', (_, schema, texts) => {
  expect(texts.map((text) => `${v.parse(schema, text)}`)).toEqual(texts)
})

test.each([
  [
    'Int64Text',
    Int64Text,
    [
      ...words('9223372036854775808 -9223372036854775809 10000000000000000000 01 +1 -0 1.0 1e3'),
      ...['0x7', '٧', '-', '', ' 7', '7\n'],
    ],
  ],
  ['Limit', Limit, [...words('0 101 -1 01 1.0 1e1'), '', ' 1', '1\n']],
])('%s refuses these texts', (_, schema, texts) => {
  expect(texts.filter((text) => v.is(schema, text))).toEqual([])
})

test('a change sets no default, and removes only fields that are optional', () => {
  const changes = changesOf({ name: Text(80), size: v.optional(Text(80), 'small') })

  expect(v.parse(changes, { name: 'Rex' })).toEqual({ name: 'Rex' })
  expect(v.parse(changes, { size: null })).toEqual({ size: null })
  expect(v.is(changes, { name: null })).toBe(false)
})
