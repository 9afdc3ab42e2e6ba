import type { Figure } from '../figure.ts'
import { median } from '../quantile.ts'
import { bundleSize } from '../subjects/bundle-size.ts'
import type { Subject } from '../subjects/subject.ts'
import type { ColdStart } from './cold-start.ts'

/** What is told of a function that was started some times: medians, and the kilobytes of its bundle. */
export const coldFigures = ({ name: of, folder }: Pick<Subject, 'name' | 'folder'>, starts: ColdStart[]): Figure[] => {
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
