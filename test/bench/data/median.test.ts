import { expect, test } from 'vitest'
import { median } from './median.ts'

test.each([
  [[7], 7],
  [[100, 9, 1], 9],
  [[10, 1, 2, 8], 5],
])('the median of %j is %d', (numbers, expected) => {
  expect(median(numbers)).toBe(expected)
})
