import type { Figure } from './figure.ts'
import type { Reach } from './reach.ts'

/** One run of the bench. `machine` describes what it ran on. */
export type Run = { machine: string; figures: Figure[]; reach: Reach[] }

/**
 * Returns a run as text: a table for each kind of figures, the machine, and the comparison with the limits. Calls and units
 * are compared silently, unless there are too many.
 */
export const report = ({ figures, machine, reach }: Run): string => {
  const tables = [...Map.groupBy(figures, ({ table }) => table)].map(([name, figures]) => tableOf(name, figures))
  return [...tables, `${machine}\n`, reachTable(reach)].join('\n')
}

const tableOf = (name: string, figures: Figure[]): string => {
  const columns = [...new Set(figures.map(columnOf))]
  const rows = [...Map.groupBy(figures, ({ row }) => row)].map(([row, figures]) => {
    const cells = new Map(figures.map((figure) => [columnOf(figure), textOf(figure)]))
    return [row, ...columns.map((column) => cells.get(column) ?? '')]
  })
  return inColumns([[name, ...columns], ...rows])
}

const reachTable = (reach: Reach[]): string =>
  inColumns([
    ['reach', 'measured', 'at most', ''],
    ...reach
      .filter(({ isExact, result }) => !isExact || result !== 'reached')
      .map(({ name, measured, atMost, result }) => {
        return [name, measured.toLocaleString('en', { maximumFractionDigits: 2 }), `${atMost}`, result]
      }),
  ])

/** The heading of a column, with the unit unless the name says it. */
const columnOf = ({ column, unit }: Figure): string => (column.endsWith(unit) ? column : `${column}, ${unit}`)

/** Sizes and counts are the same in every run; times are not. */
const isExact = ({ unit }: Figure): boolean => ['KB', 'calls', 'units'].includes(unit)

const textOf = (figure: Figure): string =>
  figure.value.toLocaleString('en', isExact(figure) ? { maximumFractionDigits: 1 } : { maximumSignificantDigits: 3 })

/** Aligns cells: the first column to the left, the others to the right. */
const inColumns = (lines: string[][]): string => {
  const widths = lines[0]?.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0))) ?? []
  const padded = (line: string[]) =>
    line.map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0)))
  return lines.map((line) => `${padded(line).join('  ').trimEnd()}\n`).join('')
}
