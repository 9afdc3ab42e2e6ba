import type { Figure } from '../figure.ts'
import { inWords } from '../machine.ts'
import { inColumns } from './columns.ts'
import type { Run } from './run.ts'
import { isExact, valueText } from './value-text.ts'

// Times differ by less between two runs of the same on a machine that does nothing else.
const NOISE = 1.1

/** Each figure beside that of a saved run, and what has changed beyond noise. */
export const comparison = (saved: Run, run: Run): string => {
  const before = new Map(saved.figures.map((figure) => [keyOf(figure), figure]))
  const lines = run.figures.map((figure) => lineOf(figure, before.get(keyOf(figure))))
  const machines = [saved, run].map(({ machine }) => inWords(machine))
  return [
    inColumns([['', 'saved', 'now', 'unit', 'ratio', ''], ...lines]),
    `saved: ${machines[0]}\nnow:   ${machines[1]}\n`,
    `Marked: sizes and counts that differ at all, and all else that is ${NOISE} times what it was, or less than 1/${NOISE}.\n`,
  ].join('\n')
}

const keyOf = ({ table, of, name }: Figure): string => `${table}: ${of}, ${name}`

const lineOf = (figure: Figure, before: Figure | undefined): string[] => {
  const key = keyOf(figure)
  if (!before) return [key, '', valueText(figure), figure.unit, '', 'new']
  const ratio = figure.value === before.value ? 1 : figure.value / before.value
  return [key, valueText(before), valueText(figure), figure.unit, ratio.toFixed(2), changeOf(figure, ratio)]
}

const changeOf = ({ unit }: Figure, ratio: number): string => {
  const noise = isExact({ unit }) ? 1 : NOISE
  if (ratio <= noise && ratio >= 1 / noise) return ''
  // Of all that is measured, only speed is better the more there is of it.
  return ratio > 1 === (unit === 'per s') ? 'better' : 'worse'
}
