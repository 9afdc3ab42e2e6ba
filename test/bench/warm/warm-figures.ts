import { type Figure, rowOf } from '../figure.ts'
import { median, quantile } from '../quantile.ts'
import type { Row } from './warm-function.ts'

/** What is told of a function that was called in some rows. */
export const warmFigures = (of: string, rows: Row[]): Figure[] => {
  const figure = rowOf('warm', of)
  const calls = rows.flatMap(({ microseconds }) => microseconds)
  return [
    figure('CPU', 'µs', median(rows.map(({ cpu }) => cpu))),
    figure('p50', 'µs', median(calls)),
    figure('p99', 'µs', quantile(calls, 0.99)),
  ]
}
