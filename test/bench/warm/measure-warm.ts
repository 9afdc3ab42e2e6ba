import type { Figure } from '../figure.ts'
import { median, quantile } from '../quantile.ts'
import { listOneStatus } from '../subjects/calls.ts'
import { inLaboratory, type Laboratory } from '../subjects/laboratory.ts'
import { shuffled } from '../subjects/shuffled.ts'
import type { Subject } from '../subjects/subject.ts'
import { addedByPipeline } from './added-by-pipeline.ts'
import { bundleBare } from './bundle-bare.ts'
import type { Effort } from './effort.ts'
import { type Row, startWarm, type WarmFunction } from './warm-function.ts'

const FULL: Effort = { rounds: 20, calls: 250, warmUp: 2000 }

/** Calls every function, ours and others, again and again, and tells what a call took. */
export const measureWarm = (): Promise<Figure[]> =>
  inLaboratory(async (laboratory) => {
    const { functions, surroundings, folder } = laboratory
    const rows = await rowsOf(laboratory, FULL)
    const added = await addedByPipeline(functions.getPet, bundleBare(folder), surroundings, { ...FULL, rounds: 60 })
    const figures = rows.flatMap(([subject, rows]) => figuresOf(subject, rows))
    return [...figures, { table: 'warm', of: 'pipeline of getPet', name: 'CPU', unit: 'µs', value: added }]
  })

const rowsOf = async ({ functions, peers, surroundings }: Laboratory, effort: Effort): Promise<[Subject, Row[]][]> => {
  const { listPets, ...others } = functions
  const lists = [
    { ...listPets, name: 'listPets, one status', call: listOneStatus },
    { ...listPets, name: 'listPets, all' },
  ]
  const started: WarmFunction[] = []
  try {
    for (const subject of [...lists, ...Object.values(others), ...peers]) {
      started.push(await startWarm(subject, surroundings))
    }
    return await inTurns(started, effort)
  } finally {
    await Promise.all(started.map(({ stop }) => stop()))
  }
}

const inTurns = async (started: WarmFunction[], { rounds, calls, warmUp }: Effort): Promise<[Subject, Row[]][]> => {
  const rows = new Map(started.map(({ subject }): [Subject, Row[]] => [subject, []]))
  for (const warm of started) await warm.calls(warmUp)
  for (let round = 0; round < rounds; round++) {
    for (const { subject, calls: call } of shuffled(started)) rows.get(subject)?.push(await call(calls))
  }
  return [...rows]
}

/** What is told of a function that was called some rows of times. */
export const figuresOf = ({ name: of }: Pick<Subject, 'name'>, rows: Row[]): Figure[] => {
  const figure = (name: string, value: number): Figure => ({ table: 'warm', of, name, unit: 'µs', value })
  const calls = rows.flatMap(({ microseconds }) => microseconds)
  return [
    figure('CPU', median(rows.map(({ cpu }) => cpu))),
    figure('p50', median(calls)),
    figure('p99', quantile(calls, 0.99)),
  ]
}
