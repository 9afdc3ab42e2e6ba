import * as v from 'valibot'
import { expect, test } from 'vitest'
import { IfMatch } from '../../../shared/model/etag.ts'

const ten = Array.from({ length: 10 }, (_, i) => `${i}`)
const quoted = (tags: string[]) => tags.map((tag) => `"${tag}"`)

test.each([
  ['any revision', '*', '*'],
  ['one tag', '"373212905455903"', ['373212905455903']],
  ['two tags, with and without white space', '"a" \t,\t "b","c"', ['a', 'b', 'c']],
  ['empty elements', ', ,\t"a",, ,"b" ,,', ['a', 'b']],
  ['ten tags', quoted(ten).join(), ten],
  [
    'what a tag may hold',
    '"", "*", "a,b", "!#~\\", "\x80\xff"',
    ['', '*', 'a,b', '!#~\\', '\x80\xff'],
  ],
  ['weak tags, which never match', 'W/"a", "b", W/"c"', ['W/"a"', 'b', 'W/"c"']],
])('names %s', (_, text, revisions) => {
  expect(v.parse(IfMatch, text)).toEqual(revisions)
})

test('is a list of tags, or nothing', () => {
  const noTags = ['', ',', ' \t, ', 'a', 'a"', '"a', 'W/a', "'a'", 'W/"', '"']
  const outsideOfTags = ['"a"b"', '"a" "b"', '"a";"b"', 'w/"a"', 'W/ "a"']
  const insideOfTags = ['"a b"', '"a\tb"', '"\x7f"', '"\x1f"', '"\u0100"']
  const others = ['"a"\n', '\v"a"', '*, "a"', '"a", *', '**', [...quoted(ten), '"a"'].join()]
  const texts = [...noTags, ...outsideOfTags, ...insideOfTags, ...others, '*,*']

  expect(texts.filter((text) => v.is(IfMatch, text))).toEqual([])
})

// In a time that is not linear, these would take minutes.
test.each([
  [`${', '.repeat(500_000)}x`],
  [`"a"${' ,\t'.repeat(300_000)}x`],
  [`${'"a",'.repeat(9)}${'\t'.repeat(1_000_000)}"`],
])('refuses long text at once: %#', { timeout: 30_000 }, (text) => {
  expect(v.is(IfMatch, text)).toBe(false)
})
