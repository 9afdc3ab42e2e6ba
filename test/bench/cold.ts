import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { type Figure, median, rowOf, shuffled } from './figure.ts'
import { type Host, startFunction } from './lambda.ts'
import { checkResult, type Subject } from './subjects.ts'

/**
 * One cold start: milliseconds until the function is loaded, of the first call, and of CPU time for both; megabytes of
 * resident memory after it.
 */
type ColdStart = { load: number; call: number; cpu: number; memory: number }

/** Starts each function `starts` times, in turns with the others, and returns the medians. */
export const measureCold = async (subjects: Subject[], host: Host, starts: number): Promise<Figure[]> => {
  const runs = subjects.map((subject) => ({ subject, starts: [] as ColdStart[] }))
  for (let round = 0; round <= starts; round++) {
    for (const run of shuffled(runs)) {
      const start = await coldStart(run.subject, host)
      // The first start is not counted, because it reads the bundle from the disk.
      if (round > 0) run.starts.push(start)
    }
  }
  return runs.flatMap(({ subject, starts }) => coldFigures(subject, starts))
}

/** Starts a function in a new process and calls it once. Throws a CommandError when the response is wrong. */
const coldStart = async (subject: Subject, host: Host): Promise<ColdStart> => {
  const { child, failed, stop } = startFunction(subject, host, 'pipe')
  try {
    const report = text(child.stdio[4] as Readable) // Because startFunction made it a pipe.
    const { figures, ...outcome } = JSON.parse(await Promise.race([report.then((json) => json || failed), failed]))
    checkResult(subject, subject.call, outcome)
    return figures
  } finally {
    await stop()
  }
}

const columns: [string, Figure['unit'], (start: ColdStart) => number][] = [
  ['load', 'ms', ({ load }) => load],
  ['first call', 'ms', ({ call }) => call],
  ['load + first call', 'ms', ({ load, call }) => load + call],
  ['CPU', 'ms', ({ cpu }) => cpu],
  ['memory', 'MB', ({ memory }) => memory],
]

const coldFigures = ({ name, folder }: Subject, starts: ColdStart[]): Figure[] => {
  const figure = rowOf('cold', name)
  const times = columns.map(([column, unit, pick]) => figure(column, unit, median(starts.map(pick))))
  return [...times, figure('bundle', 'KB', bundleSize(folder) / 1000)]
}

/** Returns the bytes of JavaScript in a bundle. Its source map is read only for stack traces, so it does not count. */
const bundleSize = (folder: string): number =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.[cm]?js$/.test(file))
    .reduce((bytes, file) => bytes + statSync(join(folder, file)).size, 0)
