import type { Figure } from '../figure.ts'
import { median } from '../quantile.ts'
import { bundleSize } from '../subjects/bundle-size.ts'
import { inLaboratory } from '../subjects/laboratory.ts'
import { shuffled } from '../subjects/shuffled.ts'
import type { Subject } from '../subjects/subject.ts'
import { type ColdStart, coldStart } from './cold-start.ts'

/** Starts every function, ours and others, so many times, and tells what the start in the middle took. */
export const measureCold = ({ starts }: { starts: number }): Promise<Figure[]> =>
  inLaboratory(async ({ functions, peers, surroundings }) => {
    const subjects = [...Object.values(functions), ...peers]
    const runs = new Map(subjects.map((subject): [Subject, ColdStart[]] => [subject, []]))
    // One more, which does not count: it reads the bundles from disk for the first time.
    for (let round = 0; round <= starts; round++) {
      for (const subject of shuffled(subjects)) {
        const start = await coldStart(subject, surroundings)
        if (round > 0) runs.get(subject)?.push(start)
      }
    }
    return [...runs].flatMap(([subject, starts]) => figuresOf(subject, starts))
  })

/** What is told of a function that was started some times. */
export const figuresOf = ({ name: of, folder }: Pick<Subject, 'name' | 'folder'>, starts: ColdStart[]): Figure[] => {
  const figure = (name: string, unit: Figure['unit'], value: number): Figure => ({
    table: 'cold',
    of,
    name,
    unit,
    value,
  })
  const middle = (part: (start: ColdStart) => number) => median(starts.map(part))
  return [
    figure(
      'load',
      'ms',
      middle(({ load }) => load),
    ),
    figure(
      'first call after init',
      'ms',
      middle(({ call }) => call),
    ),
    figure(
      'load + first call',
      'ms',
      middle(({ load, call }) => load + call),
    ),
    figure(
      'CPU',
      'ms',
      middle(({ cpu }) => cpu),
    ),
    figure(
      'memory',
      'MB',
      middle(({ memory }) => memory),
    ),
    figure('bundle', 'KB', bundleSize(folder) / 1000),
  ]
}
