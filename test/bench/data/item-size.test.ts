import { expect, test } from 'vitest'
import { type Item, itemSize } from './item-size.ts'

test.each<[string, Item, number]>([
  ['nothing', {}, 0],
  ['names and text, in UTF-8', { name: { S: 'Rex' }, größe: { S: '🐕' } }, 4 + 3 + 7 + 4],
  ['a number: a byte for two digits, and one more', { id: { N: '373212905455903' } }, 2 + 8 + 1],
  ['a number of an odd and of an even length', { a: { N: '123' }, b: { N: '1234' } }, 1 + 2 + 1 + 1 + 2 + 1],
  ['a number, without zeroes around it', { n: { N: '-0.001200' } }, 1 + 1 + 1],
  ['a number that is nothing but zero', { n: { N: '0' } }, 1 + 1],
  ['a number in powers of ten', { n: { N: '1.2e+20' } }, 1 + 1 + 1],
  ['bytes, not their base64', { b: { B: 'AAECAw==' } }, 1 + 4],
])('counts %s', (_, item, size) => {
  expect(itemSize(item)).toBe(size)
})

test('guesses nothing', () => {
  const item = JSON.parse('{"tags":{"L":[]}}')

  expect(() => itemSize(item)).toThrow('The size of this is not known: {"L":[]}')
})
