import fc from 'fast-check'
import * as v from 'valibot'
import { expect, test } from 'vitest'
import { Cursor, cursorAfter } from '../../../shared/model/paging.ts'

const CHARACTERS = [
  ...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_',
  ...'+/=% .~é\n\0',
]

test('every id becomes 16 characters that need no escape in a URL, and is read back', () => {
  fc.assert(
    fc.property(fc.maxSafeNat(), (id) => {
      const cursor = cursorAfter(id)

      expect(cursor).toMatch(/^[A-Za-z0-9_-]{16}$/)
      expect(v.parse(Cursor, cursor)).toBe(id)
    }),
  )
})

test('a cursor of an earlier release is valid', () => {
  expect(cursorAfter(373_004_697_602_048)).toBe('AAFTPuyACADiG8dr')
  expect(v.parse(Cursor, 'AAFTPuyACADiG8dr')).toBe(373_004_697_602_048)
})

test.each([0, 373_004_697_602_048])('an altered cursor of %i is invalid', (id) => {
  const cursor = cursorAfter(id)
  const positions = Array.from(cursor, (_, at) => [cursor.slice(0, at), cursor.slice(at + 1)])
  const changed = positions.flatMap(([start, rest]) =>
    CHARACTERS.map((character) => `${start}${character}${rest}`),
  )
  const cropped = [cursor.slice(1), cursor.slice(0, -1), `${cursor}A`, `${cursor}\n`]

  const altered = [...changed, ...cropped].filter((text) => text !== cursor)

  expect(altered.filter((text) => v.is(Cursor, text))).toEqual([])
})

test('nothing else is a cursor', () => {
  // 2^53 and 2^64 - 1, with correct checksums.
  const ofLargeIds = ['ACAAAAAAAACqn-b1', '__________8hRN8c']
  const others = [undefined, null, 7, ['AAFTPuyACADiG8dr'], '', 'null', '373004697602048']

  expect([...ofLargeIds, ...others].filter((value) => v.is(Cursor, value))).toEqual([])
})
