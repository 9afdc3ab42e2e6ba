import type { Figure } from '../figure.ts'

/** Made-up figures of a table, for tests: the rows by what they are of, and in each the values by name. */
export const figures = (
  table: Figure['table'],
  unit: Figure['unit'],
  rows: Record<string, Record<string, number>>,
): Figure[] =>
  Object.entries(rows).flatMap(([of, values]) =>
    Object.entries(values).map(([name, value]) => ({ table, of, name, unit, value })),
  )

export const machine = { cores: 2, cpu: 'Some CPU', memory: 4, node: 'v24.0.0' }
