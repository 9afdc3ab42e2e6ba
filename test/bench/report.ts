import { readFileSync } from 'node:fs'
import { CommandError } from '../../infra/command-line.ts'
import type { Figure } from './figure.ts'
import type { Reach } from './reach.ts'

/** One run of the bench, as `--json` prints it. `machine` describes what it ran on. */
export type Run = { machine: string; figures: Figure[]; reach: Reach[] }

/** Returns a run as text: a table for each kind of figures, the machine, and the comparison with the goals. */
export const report = ({ figures, machine, reach }: Run): string => {
  const tables = [...Map.groupBy(figures, ({ table }) => table)].map(([name, figures]) => tableOf(name, figures))
  return [...tables, `${machine}\n`, reachTable(reach)].join('\n')
}

/** Times differ by less than this factor between two runs of the same code on a machine that does nothing else. */
const NOISE = 1.1

/** Returns each figure of a run beside the same figure of a saved run, and marks what changed by more than noise. */
export const comparison = (saved: Run, run: Run): string => {
  const before = new Map(saved.figures.map((figure) => [nameOf(figure), figure]))
  const lines = run.figures.map((figure) => comparedWith(before.get(nameOf(figure)), figure))
  return [
    inColumns([['', 'saved', 'now', 'unit', 'ratio', ''], ...lines]),
    `saved: ${saved.machine}\nnow:   ${run.machine}\n`,
    `Marked: sizes and counts that changed at all, and other figures that changed by a factor of ${NOISE} or more.\n`,
  ].join('\n')
}

/**
 * Reads a run that was saved with `--json`.
 *
 * @throws CommandError when the file cannot be read or holds something else
 */
export const readRun = (file: string): Run => {
  try {
    // Without `-s`, npm prints lines of its own before the JSON.
    const [json = ''] = /^\{.*/ms.exec(readFileSync(file, 'utf8')) ?? []
    const run: Run = JSON.parse(json)
    if (Array.isArray(run.figures) && typeof run.machine === 'string') return run
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw new CommandError(`--compare: ${(error as Error).message}`)
  }
  throw new CommandError(`--compare: ${file} does not hold the output of "npm run -s bench -- --json".`)
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
    ['reach', 'measured', 'at most', 'aim', ''],
    ...reach.map(({ name, measured, atMost, aim, result }) => [
      name,
      measured?.toLocaleString('en', { maximumFractionDigits: 2 }) ?? '',
      `${atMost}`,
      `${aim ?? ''}`,
      result,
    ]),
  ])

const comparedWith = (before: Figure | undefined, figure: Figure): string[] => {
  const name = nameOf(figure)
  if (!before) return [name, '', textOf(figure), figure.unit, '', 'new']
  const ratio = figure.value === before.value ? 1 : figure.value / before.value
  const noise = isExact(figure) ? 1 : NOISE
  const change = ratio > noise ? 'worse' : ratio < 1 / noise ? 'better' : ''
  return [name, textOf(before), textOf(figure), figure.unit, ratio.toFixed(2), change]
}

const nameOf = ({ table, row, column }: Figure): string => `${table}: ${row}, ${column}`

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
