import fc from 'fast-check'
import * as v from 'valibot'
import { describe, expect, test } from 'vitest'
import { Cursor, cursorAfter } from '../../../shared/model/cursor.ts'

const CHARACTERS = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_', ...'+/=% .~é\n\0']

test('any id goes through a cursor and back', () => {
  fc.assert(
    fc.property(fc.maxSafeNat(), (id) => {
      expect(v.parse(Cursor, cursorAfter(id))).toBe(id)
    }),
  )
})

test('a cursor is 16 characters that need no escape in an address', () => {
  fc.assert(
    fc.property(fc.maxSafeNat(), (id) => {
      expect(cursorAfter(id)).toMatch(/^[A-Za-z0-9_-]{16}$/)
    }),
  )
})

test('a cursor that a client kept is good after the next deployment', () => {
  expect(cursorAfter(373_004_697_602_048)).toBe('AAFTPuyACADiG8dr')
  expect(v.parse(Cursor, 'AAFTPuyACADiG8dr')).toBe(373_004_697_602_048)
})

describe.each([0, 1, 373_004_697_602_048, 9_007_199_254_740_991])('the cursor of %i', (id) => {
  const cursor = cursorAfter(id)
  const isCursor = (text: string) => v.is(Cursor, text)

  test('is refused when it was cut anywhere, at either end', () => {
    const cuts = Array.from(cursor, (_, at) => [cursor.slice(0, at), cursor.slice(at + 1)]).flat()

    expect(cuts.filter(isCursor)).toEqual([])
  })

  test('is refused with one character more, less or in another place', () => {
    const longer = Array.from({ length: 17 }, (_, at) =>
      CHARACTERS.map((c) => cursor.slice(0, at) + c + cursor.slice(at)),
    )
    const shorter = Array.from(cursor, (_, at) => cursor.slice(0, at) + cursor.slice(at + 1))
    const swapped = Array.from(
      cursor,
      (c, at) => cursor.slice(0, at) + cursor.charAt(at + 1) + c + cursor.slice(at + 2),
    )

    expect([...longer.flat(), ...shorter].filter(isCursor)).toEqual([])
    expect(swapped.filter((text) => text !== cursor).filter(isCursor)).toEqual([])
  })

  test('is refused with any one character changed to any other', () => {
    const changed = Array.from(cursor, (_, at) => CHARACTERS.map((c) => cursor.slice(0, at) + c + cursor.slice(at + 1)))
    const others = changed.flat().filter((text) => text !== cursor)

    expect(others).toHaveLength(16 * (CHARACTERS.length - 1))
    expect(others.filter(isCursor)).toEqual([])
  })
})

test.each([
  ['2^53', 'ACAAAAAAAACqn-b1'],
  ['2^64 - 1', '__________8hRN8c'],
])('a cursor of the id %s, which no pet has, is refused although its checksum is right', (_, text) => {
  expect(v.is(Cursor, text)).toBe(false)
})

test.each([undefined, null, 7, ['AAFTPuyACADiG8dr'], '', 'null', '373004697602048'])(
  'a cursor is never %j',
  (value) => {
    expect(v.is(Cursor, value)).toBe(false)
  },
)
