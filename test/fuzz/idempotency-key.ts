import fc from 'fast-check'
import type { Part, Refused } from './request.ts'

/** The key is the one that is meant, however it is spelled; `reused` says whether it may have come with another body. */
export type Keyed = Part<{ headers: Record<string, string | string[]>; key?: string; reused: Refused }>

const visible = (min: number, max = 0x7e) => fc.integer({ min, max }).map((code) => String.fromCharCode(code))

// Not `"`, by which a key starts that is quoted.
const fresh = fc
  .tuple(visible(0x23), fc.string({ unit: visible(0x21), maxLength: 254, size: 'max' }))
  .map(([first, rest]) => first + rest)

const quoted = (key: string): string => `"${key.replaceAll(/["\\]/g, '\\$&')}"`

const WRONG = [
  ...['', '""', '"', '"a', 'a b', '"a b"', '"\\a"', '\xe9', 'a'.repeat(256), `"${'a'.repeat(256)}"`],
  ['a', 'a'],
]

/** A key, bare or in quotes. */
export const keyed = (key: string, isQuoted: boolean, reused: Refused): Keyed => ({
  headers: { 'Idempotency-Key': isQuoted ? quoted(key) : key },
  key,
  refused: 'never',
  reused,
})

/** What a request says of being sent twice: mostly nothing. */
export const idempotencyKey: fc.Arbitrary<Keyed> = fc.oneof(
  { weight: 6, arbitrary: fc.constant<Keyed>({ headers: {}, refused: 'never', reused: 'never' }) },
  { weight: 1, arbitrary: fc.tuple(fresh, fc.boolean()).map(([key, isQuoted]) => keyed(key, isQuoted, 'maybe')) },
  // So few that most of them have come before, with another body.
  {
    weight: 1,
    arbitrary: fc
      .tuple(fc.constantFrom('a', 'b'), fc.boolean())
      .map(([key, isQuoted]) => keyed(key, isQuoted, 'maybe')),
  },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom(...WRONG)
      .map((text): Keyed => ({ headers: { 'Idempotency-Key': text }, refused: 'always', reused: 'never' })),
  },
)
