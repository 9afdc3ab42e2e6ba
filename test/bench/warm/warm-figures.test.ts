import { expect, test } from 'vitest'
import { warmFigures } from './warm-figures.ts'

test('tells the CPU of the row in the middle, and p50 and p99 of all calls', () => {
  const calls = Array.from({ length: 300 }, (_, i) => i)
  const rows = [20, 30, 10].map((cpu, i) => ({ cpu, microseconds: calls.slice(i * 100, (i + 1) * 100).reverse() }))

  expect(warmFigures('getPet', rows)).toEqual([
    { table: 'warm', of: 'getPet', name: 'CPU', unit: 'µs', value: 20 },
    { table: 'warm', of: 'getPet', name: 'p50', unit: 'µs', value: 149.5 },
    { table: 'warm', of: 'getPet', name: 'p99', unit: 'µs', value: 297 },
  ])
})
