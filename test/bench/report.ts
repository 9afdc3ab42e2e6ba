import { availableParallelism, cpus, totalmem } from 'node:os'
import { example } from '../support/example.ts'
import { ALL, FILTERED, ONE } from './subjects.ts'

/** The measured numbers of one table, by row and column. A column's name has its unit. */
export type Figures = Record<string, Record<string, number>>

/**
 * Returns a run of the bench as text: its tables, the machine, and a comparison with the limits.
 */
export const report = ({ cold, warm }: { cold: Figures; warm: Figures }): string =>
  [tableOf('cold', cold), tableOf('warm', warm), machine(), inColumns(reachOf(cold, warm))].join(
    '\n',
  )

const machine = (): string => {
  const memory = Math.round(totalmem() / 1e9)
  return `${availableParallelism()} cores of ${cpus()[0]?.model.trim()}, ${memory} GB of memory, Node.js ${process.version}\n`
}

const tableOf = (name: string, figures: Figures): string => {
  const columns = Object.keys(Object.values(figures)[0] ?? {})
  const rows = Object.entries(figures).map(([row, values]) => [
    row,
    ...Object.entries(values).map(([column, value]) => textOf(column, value)),
  ])
  return inColumns([[name, ...columns], ...rows])
}

/** Sizes are the same in every run; times are not. */
const textOf = (column: string, value: number): string =>
  value.toLocaleString(
    'en',
    column === SIZE ? { maximumFractionDigits: 1 } : { maximumSignificantDigits: 3 },
  )

const [COLD, SIZE, P50] = ['load + first call, ms', 'bundle, KB', 'p50, µs']

/** Compares the figures with their limits. */
const reachOf = (cold: Figures, warm: Figures): string[][] => {
  const ratio = (figures: Figures, column: string, row: string, other: string): number =>
    (figures[row]?.[column] ?? Number.NaN) / (figures[other]?.[column] ?? Number.NaN)
  const { list, create, table, title, filter } = example
  const [one, all] = [`1 ${title.toLowerCase()}`, `20 ${table}`]
  const functions = [list, create, ONE]
  const loads = functions.map((row) => ratio(cold, 'load, ms', `${row}, no first read`, 'AWS SDK'))
  const sizes = functions.map((row) => cold[row]?.[SIZE] ?? Number.NaN)
  const limits: [name: string, measured: number, atMost: number][] = [
    ['load: slowest function without its first read ÷ AWS SDK', Math.max(...loads), 0.45],
    [
      `load + first call: ${one} ÷ Middy, Powertools`,
      ratio(cold, COLD, ONE, 'Middy, Powertools'),
      0.35,
    ],
    [`load + first call: ${one} ÷ bare HTTPS`, ratio(cold, COLD, ONE, 'bare HTTPS'), 1.33],
    [`load + first call: ${all} ÷ ${one}`, ratio(cold, COLD, list, ONE), 1.05],
    [`first call after init: ${one} ÷ AWS SDK`, ratio(cold, 'first call, ms', ONE, 'AWS SDK'), 0.2],
    [`warm p50: ${one} ÷ AWS SDK`, ratio(warm, P50, ONE, 'AWS SDK'), 0.8],
    [`warm p50: ${one} ÷ bare HTTPS`, ratio(warm, P50, ONE, 'bare HTTPS'), 1.55],
    [`warm p50: ${ALL} ÷ one ${filter.field}`, ratio(warm, P50, ALL, FILTERED), 1.1],
    ['largest bundle, KB', Math.max(...sizes), 56],
  ]
  const rows = limits.map(([name, measured, atMost]) => {
    const rounded = measured.toLocaleString('en', { maximumFractionDigits: 2 })
    return [name, rounded, `${atMost}`, measured <= atMost ? 'reached' : 'not reached']
  })
  return [['reach', 'measured', 'at most', ''], ...rows]
}

/** Aligns cells: the first column to the left, the others to the right. */
const inColumns = (lines: string[][]): string => {
  const widths =
    lines[0]?.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0))) ?? []
  const padded = (line: string[]) =>
    line.map((cell, column) =>
      column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0),
    )
  return lines.map((line) => `${padded(line).join('  ').trimEnd()}\n`).join('')
}
