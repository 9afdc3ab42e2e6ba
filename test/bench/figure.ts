/** One number that `npm run bench` measured. */
export type Figure = {
  /** Which of the tables it is in. */
  table: 'cold' | 'warm' | 'data' | 'local'
  /** What it was measured of, its row: `getPet`, `getPet in express`, `page of 20, 200,000 animals`. */
  of: string
  /** What was measured, its column: `load`, `p99`. */
  name: string
  unit: 'ms' | 'µs' | 'KB' | 'MB' | 'calls' | 'units' | 'per s'
  value: number
}
