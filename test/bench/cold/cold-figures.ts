import { type Figure, rowOf } from '../figure.ts'
import { median } from '../quantile.ts'
import { bundleSize } from '../subjects/bundle-size.ts'
import type { Subject } from '../subjects/subject.ts'
import type { ColdStart } from './cold-start.ts'

/** What is told of a function that was started some times: medians, and the kilobytes of its bundle. */
export const coldFigures = ({ name, folder }: Pick<Subject, 'name' | 'folder'>, starts: ColdStart[]): Figure[] => {
  const figure = rowOf('cold', name)
  const middle = (name: string, unit: Figure['unit'], of: (start: ColdStart) => number) =>
    figure(name, unit, median(starts.map(of)))
  return [
    middle('load', 'ms', ({ load }) => load),
    middle('first call after init', 'ms', ({ call }) => call),
    middle('load + first call', 'ms', ({ load, call }) => load + call),
    middle('CPU', 'ms', ({ cpu }) => cpu),
    middle('memory', 'MB', ({ memory }) => memory),
    figure('bundle', 'KB', bundleSize(folder) / 1000),
  ]
}
