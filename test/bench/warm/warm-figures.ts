import type { Figure } from '../figure.ts'
import { median, quantile } from '../quantile.ts'
import type { Row } from './warm-function.ts'

/** What is told of a function that was called in some rows. */
export const warmFigures = (of: string, rows: Row[]): Figure[] => {
  const figure = (name: string, value: number): Figure => ({ table: 'warm', of, name, unit: 'µs', value })
  const calls = rows.flatMap(({ microseconds }) => microseconds)
  return [
    figure('CPU', median(rows.map(({ cpu }) => cpu))),
    figure('p50', median(calls)),
    figure('p99', quantile(calls, 0.99)),
  ]
}
