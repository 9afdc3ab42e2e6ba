import { expect, test } from 'vitest'
import { measureLocal } from './measure-local.ts'

test('the local server is measured', async () => {
  const figures = await measureLocal({ starts: 1, seconds: 1 })

  expect(figures.map(({ of, name, unit }) => [of, name, unit])).toEqual([
    ['local server', 'start to first answer', 'ms'],
    ['local server', 'requests', 'per s'],
    ['local server', 'p99', 'ms'],
    ['local server', 'memory at start', 'MB'],
    ['local server', 'memory after load', 'MB'],
  ])
  expect(figures.every(({ value }) => value > 0)).toBe(true)
})
