import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { coldFigures } from './cold-figures.ts'

test('tells of the start in the middle, and of all JavaScript in the bundle', () => {
  const folder = mkdtempSync(join(tmpdir(), 'bundle-'))
  mkdirSync(join(folder, 'more'))
  const sizes = { 'index.mjs': 100, 'more/main.js': 2000, 'index.mjs.map': 50_000, 'package.json': 20 }
  for (const [file, size] of Object.entries(sizes)) writeFileSync(join(folder, file), 'a'.repeat(size))
  const starts = [
    { load: 30, call: 1, cpu: 50, memory: 80 },
    { load: 10, call: 9, cpu: 70, memory: 60 },
    { load: 20, call: 2, cpu: 60, memory: 70 },
  ]

  const figures = coldFigures({ name: 'getPet', folder }, starts)

  expect(figures.map(({ name, value, unit }) => [name, value, unit])).toEqual([
    ['load', 20, 'ms'],
    ['first call after init', 2, 'ms'],
    ['load + first call', 22, 'ms'],
    ['CPU', 60, 'ms'],
    ['memory', 70, 'MB'],
    ['bundle', 2.1, 'KB'],
  ])
  expect(figures.every(({ table, of }) => table === 'cold' && of === 'getPet')).toBe(true)
})
