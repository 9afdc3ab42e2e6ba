import { showProgress } from '../support/progress.ts'

/** One measured number: a cell of one of the tables. */
export type Figure = {
  table: 'cold' | 'warm' | 'dynamodb'
  /** What was measured: `createPet`, `stock client`. */
  row: string
  /** `load`, `p99`, `calls`. */
  column: string
  unit: 'ms' | 'µs' | 'KB' | 'MB' | 'calls' | 'units'
  value: number
}

/** Returns a function that makes the figures of one row. */
export const rowOf =
  (table: Figure['table'], row: string) =>
  (column: string, unit: Figure['unit'], value: number): Figure => ({ table, row, column, unit, value })

/** Returns the smallest number that is not below `share` of the numbers: 0.99 for p99. NaN for an empty list. */
export const quantile = (numbers: number[], share: number): number => {
  const sorted = numbers.toSorted((a, b) => a - b)
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN
}

export const median = (numbers: number[]): number => quantile(numbers, 0.5)

/**
 * Calls `measure` with each subject `rounds` times, and returns the results of each. The subjects take turns in random
 * order, so that none always runs after the same other one. `name` is shown with the progress.
 */
export const inTurns = async <Subject, Result>(
  name: string,
  subjects: Subject[],
  rounds: number,
  measure: (subject: Subject) => Promise<Result>,
): Promise<[Subject, Result[]][]> => {
  const runs = subjects.map((subject): [Subject, Result[]] => [subject, []])
  for (let round = 0; round < rounds; round++) {
    showProgress(`${name}: round ${round + 1} of ${rounds}`)
    const shuffled = runs.map((run) => ({ run, order: Math.random() })).sort((a, b) => a.order - b.order)
    for (const { run } of shuffled) run[1].push(await measure(run[0]))
  }
  showProgress('')
  return runs
}
