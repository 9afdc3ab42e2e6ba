import type { Figure } from './figure.ts'
import { ONE } from './subjects.ts'

/** How a measured value compares with its limit. `measured` is NaN when one of its figures is missing. */
export type Reach = {
  name: string
  measured: number
  atMost: number
  /** Whether it is the same in every run: then a run that does not reach it fails. */
  isExact: boolean
  result: 'reached' | 'not reached'
}

/** Compares the figures with their limits. */
export const reachOf = (figures: Figure[]): Reach[] => {
  const values = new Map(figures.map(({ table, row, column, value }) => [`${table} ${row} ${column}`, value]))
  const find: Find = (table, row, column) => values.get(`${table} ${row} ${column}`) ?? Number.NaN
  return [...ratios, ...exact].map(([name, measure, atMost], i) => {
    const measured = measure(find)
    return {
      name,
      measured,
      atMost,
      isExact: i >= ratios.length,
      result: measured <= atMost ? 'reached' : 'not reached',
    }
  })
}

/** Returns the value of a figure; NaN when it was not measured. */
type Find = (table: Figure['table'], row: string, column: string) => number

/** A name, how the value follows from the figures, and the limit. */
type Goal = [name: string, measure: (find: Find) => number, atMost: number]

/** The same figure of two rows, the first divided by the second. */
const ratio =
  (table: Figure['table'], column: string, row: string, other: string) =>
  (find: Find): number =>
    find(table, row, column) / find(table, other, column)

/** The highest value of a column of the `cold` table. */
const highest = (find: Find, column: string, suffix = ''): number =>
  Math.max(...['listPets', 'createPet', ONE].map((row) => find('cold', row + suffix, column)))

const ratios: Goal[] = [
  [
    'load: slowest function without its first read ÷ stock client',
    (find) => highest(find, 'load', ', no first read') / find('cold', 'stock client', 'load'),
    0.45,
  ],
  ['load + first call: 1 pet ÷ demo style', ratio('cold', 'load + first call', ONE, 'demo style'), 0.35],
  ['load + first call: 1 pet ÷ floor', ratio('cold', 'load + first call', ONE, 'floor'), 1.33],
  ['load + first call: 20 pets ÷ 1 pet', ratio('cold', 'load + first call', 'listPets', ONE), 1.05],
  ['first call after init: 1 pet ÷ stock client', ratio('cold', 'first call', ONE, 'stock client'), 0.2],
  ['warm p50: 1 pet ÷ stock client', ratio('warm', 'p50', ONE, 'stock client'), 0.8],
  ['warm p50: 1 pet ÷ floor', ratio('warm', 'p50', ONE, 'floor'), 1.55],
  ['warm p50: listPets, all ÷ one status', ratio('warm', 'p50', 'listPets, all', 'listPets, one status'), 1.1],
  ['largest bundle, KB', (find) => highest(find, 'bundle'), 45],
]

// The API key is remembered, so no call reads it.
const limits: [column: string, row: string, atMost: number][] = [
  ['calls', ONE, 1],
  ['calls', 'listPets, one status', 1],
  ['calls', 'listPets, all', 1],
  ['calls', 'createPet', 1],
  ['calls', 'createPet, Idempotency-Key', 2],
  ['calls', 'updatePet', 1],
  ['calls', 'deletePet', 1],
  ['read units', ONE, 0.5],
  ['read units', 'listPets, one status', 0.5],
  ['read units', 'listPets, all', 0.5],
  ['write units', 'createPet', 3],
  ['write units', 'createPet, Idempotency-Key', 4],
]

const exact = limits.map(([column, row, atMost]): Goal => {
  return [`${column}: ${row}`, (find) => find('dynamodb', row, column), atMost]
})
