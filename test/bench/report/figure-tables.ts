import type { Figure } from '../figure.ts'
import { inColumns } from './columns.ts'
import { valueText } from './value-text.ts'

/** A table for each part that was measured: a row for what was measured, a column for each figure of it. */
export const figureTables = (figures: Figure[]): string =>
  [...Map.groupBy(figures, ({ table }) => table)].map(([name, figures]) => tableOf(name, figures)).join('\n')

const tableOf = (name: string, figures: Figure[]): string => {
  const columns = [...new Set(figures.map(columnOf))]
  const rows = [...Map.groupBy(figures, ({ of }) => of)].map(([of, figures]) => {
    const cells = new Map(figures.map((figure) => [columnOf(figure), valueText(figure)]))
    return [of, ...columns.map((column) => cells.get(column) ?? '')]
  })
  return inColumns([[name, ...columns], ...rows])
}

// `calls, warm` says its unit by itself.
const columnOf = ({ name, unit }: Figure): string => (name.split(/\W/).includes(unit) ? name : `${name}, ${unit}`)
