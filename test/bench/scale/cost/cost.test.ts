import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { markdownTable } from './markdown-table.ts'
import { millionTable } from './million-table.ts'
import { monthCost, tasksFor, together } from './month-cost.ts'
import { monthTable } from './month-table.ts'
import { prices, tiered } from './prices.ts'
import { mix } from './usage.ts'

const tables = readFileSync('README.md', 'utf8').split('\n\n')

test.each([
  ['a million requests', millionTable],
  ['a month', monthTable],
])('README shows what %s cost', (_, table) => {
  const expected = markdownTable(table())

  expect(tables.find((each) => each.split('\n')[0] === expected.split('\n')[0])).toBe(expected)
})

test('what falls with the amount is paid at each price up to where the next begins', () => {
  expect(tiered(100, prices.restApi)).toBe(350)
  expect(tiered(1100, prices.restApi)).toBeCloseTo(333 * 3.5 + 667 * 2.8 + 100 * 2.38)
  expect(tiered(60_000, prices.lambdaLog)).toBe(12_500)
})

test('the mix is of one', () => {
  expect(Object.values(mix).reduce<number>((a, b) => a + b, 0)).toBe(1)
})

test('up to one request a second, all are traced', () => {
  const { rest } = monthCost(1)

  expect(rest.traces).toBeCloseTo(2.628 * prices.trace)
})

test.each([
  [1, { count: 2, cpu: 0.25, gigabytes: 0.5 }],
  [250, { count: 2, cpu: 0.25, gigabytes: 0.5 }],
  [251, { count: 2, cpu: 1, gigabytes: 2 }],
  [10_000, { count: 20, cpu: 1, gigabytes: 2 }],
])('for %i requests a second, half of the CPU of the containers is kept free', (perSecond, expected) => {
  expect(tasksFor(perSecond)).toEqual(expected)
})

test('a container costs less from three requests a second on', () => {
  const saved = [2, 3].map(monthCost).map(({ rest, container }) => together(rest) - together(container))

  expect(saved.map(Math.sign)).toEqual([-1, 1])
})
