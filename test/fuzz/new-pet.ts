import fc from 'fast-check'
import type { Wanted } from './request.ts'

/** The fields of a pet as JSON text, by name, and what must come back. */
export type NewPet = { fields: [name: string, json: string][]; wanted: Wanted }

const STRANGE = [
  'null',
  '__proto__',
  ':shard',
  '#name',
  '<b>&amp;</b>',
  "'; --",
  '\0',
  '\u2028',
  '\u202eRex',
  '{"N":"1"}',
]
const LONG = ['a'.repeat(1000), '\u{1f9a6}'.repeat(1000), 'e\u0301'.repeat(500), `${' '.repeat(999)}a`]

const name = fc
  .oneof(
    { weight: 8, arbitrary: fc.string({ unit: 'binary', minLength: 1, maxLength: 40 }) },
    { weight: 4, arbitrary: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 }) },
    { weight: 4, arbitrary: fc.constantFrom(...STRANGE) },
    { weight: 1, arbitrary: fc.constantFrom(...LONG) },
    { weight: 1, arbitrary: fc.string({ unit: 'binary', minLength: 900, maxLength: 1000, size: 'max' }) },
  )
  .filter((text) => text.trim() !== '' && !text.includes('\ufffd') && [...text].length <= 1000)

const INT64 = { min: -(2n ** 63n), max: 2n ** 63n - 1n }
const EDGES = [INT64.min, INT64.max, 2n ** 53n, 2n ** 53n + 1n, -(2n ** 53n) - 1n, 0n, -1n, 2n ** 31n, 10n ** 18n]

/** An int64, and the digits that it must come back in. */
const categoryId = fc.oneof(
  fc.bigInt(INT64).map((id) => [`${id}`, `${id}`] as const),
  fc.constantFrom(...EDGES).map((id) => [`${id}`, `${id}`] as const),
  fc.integer().map((id) => [`${id}.0`, `${id}`] as const),
  fc.integer().map((id) => [`${id}e3`, `${id * 1000}`] as const),
  fc.integer({ min: 1 }).map((id) => [`-${id}00E-2`, `-${id}`] as const),
  fc.constant(['-0', '0'] as const),
)

const status = fc.constantFrom('available', 'pending', 'sold', undefined)

// Each character as an escape sequence, those beyond 16 bits as two.
const escaped = (text: string): string =>
  `"${text.replaceAll(/[\s\S]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)}"`

/** A pet that the service takes. */
export const newPet: fc.Arbitrary<NewPet> = fc
  .record({ name, categoryId, status, spell: fc.constantFrom(JSON.stringify, JSON.stringify, escaped) })
  .map(({ name, categoryId: [id, digits], status, spell }) => ({
    fields: [
      ['name', spell(name)],
      ['categoryId', id],
      ...(status ? [['status', spell(status)] as [string, string]] : []),
    ],
    wanted: { name, categoryId: digits, status },
  }))
