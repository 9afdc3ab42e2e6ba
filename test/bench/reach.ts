import type { Figure } from './figure.ts'
import { ONE } from './subjects.ts'

/** How a measured value compares with its limit and its aim. `measured` is absent when one of its figures is missing. */
export type Reach = {
  name: string
  measured?: number
  atMost: number
  aim?: number
  /** Whether it is the same in every run: then a run that does not reach it fails. */
  isExact: boolean
  result: 'aim reached' | 'reached' | 'not reached' | 'not measured'
}

/** Compares the figures with what they should be. */
export const reachOf = (figures: Figure[]): Reach[] => {
  const values = new Map(figures.map(({ table, row, column, value }) => [`${table} ${row} ${column}`, value]))
  const find: Find = (table, row, column) => values.get(`${table} ${row} ${column}`) ?? Number.NaN
  return [...ratios, ...exact].map(([name, measure, atMost, aim], i) => {
    const measured = measure(find)
    const goal = { name, atMost, ...(aim !== undefined && { aim }), isExact: i >= ratios.length }
    if (Number.isNaN(measured)) return { ...goal, result: 'not measured' }
    return { ...goal, measured, result: resultOf(measured, atMost, aim) }
  })
}

/** Returns the value of a figure; NaN when it was not measured. */
type Find = (table: Figure['table'], row: string, column: string) => number

/** A name, how the value follows from the figures, the limit, and the value to aim for. */
type Goal = [name: string, measure: (find: Find) => number, atMost: number, aim?: number]

const resultOf = (measured: number, atMost: number, aim = Number.NEGATIVE_INFINITY): Reach['result'] => {
  if (measured > atMost) return 'not reached'
  return measured <= aim ? 'aim reached' : 'reached'
}

/** The same figure of two rows, the first divided by the second. */
const ratio =
  (table: Figure['table'], column: string, row: string, other: string) =>
  (find: Find): number =>
    find(table, row, column) / find(table, other, column)

/** The highest value of a column of the `cold` table. */
const highest = (find: Find, column: string, suffix = ''): number =>
  Math.max(...['listPets', 'createPet', ONE].map((row) => find('cold', row + suffix, column)))

/** The time of a handler that reads no pet, less what an empty handler takes: Middy, key check, validation, log. */
const added = (find: Find, row: string): number =>
  find('warm', `${row}, no read`, 'p50') - find('warm', 'empty handler', 'p50')

const dynamodb = (row: string, column: string) => (find: Find) => find('dynamodb', row, column)

const ratios: Goal[] = [
  [
    'load: slowest function without its first read ÷ stock client',
    (find) => highest(find, 'load', ', no first read') / find('cold', 'stock client', 'load'),
    0.65,
    0.35,
  ],
  ['load + first call: 1 pet ÷ demo style', ratio('cold', 'load + first call', ONE, 'demo style'), 0.35, 0.2],
  ['load + first call: 1 pet ÷ floor', ratio('cold', 'load + first call', ONE, 'floor'), 1.3, 1.2],
  ['load + first call: 20 pets ÷ 1 pet', ratio('cold', 'load + first call', 'listPets', ONE), 1.05, 1],
  ['first call after init: 1 pet ÷ stock client', ratio('cold', 'first call', ONE, 'stock client'), 0.35],
  ['warm p50: 1 pet ÷ stock client', ratio('warm', 'p50', ONE, 'stock client'), 1, 0.5],
  ['warm p50: 1 pet ÷ floor', ratio('warm', 'p50', ONE, 'floor'), 1.45, 1.3],
  ['warm p50: listPets, all ÷ one status', ratio('warm', 'p50', 'listPets, all', 'listPets, one status'), 1.1, 1],
  ['warm p50 that middlewares add: 1 pet ÷ demo style', (find) => added(find, ONE) / added(find, 'demo style'), 0.25],
  ['largest bundle, KB', (find) => highest(find, 'bundle'), 200, 40],
]

// The API key is remembered, so no call reads it.
const exact: Goal[] = [
  ['calls: listPets, one status', dynamodb('listPets, one status', 'calls'), 1],
  ['calls: listPets, all', dynamodb('listPets, all', 'calls'), 1],
  ['calls: createPet', dynamodb('createPet', 'calls'), 1],
  ['calls: createPet, Idempotency-Key', dynamodb('createPet, Idempotency-Key', 'calls'), 2],
  ['calls: listPets, 1 pet', dynamodb(ONE, 'calls'), 1],
  ['calls: updatePet', dynamodb('updatePet', 'calls'), 1],
  ['calls: deletePet', dynamodb('deletePet', 'calls'), 1],
  ['read units: listPets, one status', dynamodb('listPets, one status', 'read units'), 0.5],
  ['read units: listPets, all', dynamodb('listPets, all', 'read units'), 0.5],
  ['read units: listPets, 1 pet', dynamodb(ONE, 'read units'), 0.5],
  ['write units: createPet', dynamodb('createPet', 'write units'), 3],
  ['write units: createPet, no status', dynamodb('createPet, no status', 'write units'), 2],
  ['write units: createPet, Idempotency-Key', dynamodb('createPet, Idempotency-Key', 'write units'), 4],
]
