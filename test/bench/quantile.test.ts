import { expect, test } from 'vitest'
import { median, quantile } from './quantile.ts'

test.each([
  [[7], 7],
  [[100, 9, 1], 9],
  [[10, 1, 2, 8], 5],
])('the median of %j is %d', (numbers, expected) => {
  expect(median(numbers)).toBe(expected)
})

test.each([
  [0.99, 298],
  [0.5, 151],
  [1, 300],
])('at %d of 300, 299, … 1 is %d', (part, expected) => {
  const numbers = Array.from({ length: 300 }, (_, i) => 300 - i)

  expect(quantile(numbers, part)).toBe(expected)
})
