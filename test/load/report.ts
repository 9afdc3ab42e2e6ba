import { availableParallelism, cpus, totalmem } from 'node:os'
import type { Memory } from '../support/memory.ts'
import { CONNECTIONS } from './fire.ts'
import type { Part, Run } from './run-load.ts'
import { isWarm } from './shortcomings.ts'

/** A run in figures, as a table. */
export const report = (run: Run): string => {
  const { first, rest, answers, tally } = run
  const row = (name: string, of: (part: Part) => string): string =>
    name.padEnd(24) + of(first).padStart(12) + of(rest).padStart(12)
  return [
    `${availableParallelism()} cores (${cpus()[0]?.model}), ${mebibytes(totalmem())}, Node.js ${process.version}`,
    '',
    row(`${CONNECTIONS} connections for`, ({ seconds }) => `${seconds} s`),
    row('answers', ({ speed }) => count(speed.answers)),
    row('answers a second', ({ speed }) => count(speed.perSecond)),
    row('latency, p50', ({ speed }) => `${count(speed.p50)} ms`),
    row('latency, p99', ({ speed }) => `${count(speed.p99)} ms`),
    row('latency, max', ({ speed }) => `${count(speed.max)} ms`),
    row('no answer', ({ speed }) => count(speed.failed)),
    row('heap, collected', ({ memory }) => mebibytes(memory.heap)),
    row('resident', ({ memory }) => mebibytes(memory.resident)),
    '',
    ...[...answers].sort().map(([kind, times]) => kind.padEnd(24) + count(times).padStart(12)),
    '',
    `${count(tally.created)} pets were answered with a 201. The server, started again, has ${count(tally.found)}:`,
    `${tally.lost.length} lost, ${tally.doubled.length} doubled, ${tally.unasked.length} never sent. ${count(tally.unanswered)} had no answer: the load ended first.`,
    `Heap: ${ratio(first, rest, 'heap')} times what it was after ${first.seconds} s; resident: ${ratio(first, rest, 'resident')} times${isWarm(run) ? '' : ', too early to judge'}.`,
    '',
  ].join('\n')
}

const count = (number: number): string => Math.round(number).toLocaleString('en')
const mebibytes = (bytes: number): string => `${count(bytes / 2 ** 20)} MiB`
const ratio = (first: Part, rest: Part, kind: keyof Memory): string =>
  (rest.memory[kind] / first.memory[kind]).toFixed(2)
