/** One number that `npm run bench` measured. */
export type Figure = {
  /** Which of the tables it is in. */
  table: 'cold' | 'warm' | 'data' | 'local'
  /** What it was measured of, its row: `getPet`, `express`, `page of 20 of 100 pets, first, all`. */
  of: string
  /** What was measured, its column: `load`, `p99`. */
  name: string
  unit: 'ms' | 'µs' | 'KB' | 'MB' | 'calls' | 'units' | 'per s'
  value: number
}

/** Makes the figures of one row. */
export const rowOf =
  (table: Figure['table'], of: string) =>
  (name: string, unit: Figure['unit'], value: number): Figure => ({ table, of, name, unit, value })
