import type { Figure } from '../figure.ts'
import { listOneStatus } from '../subjects/calls.ts'
import { inLaboratory, type Laboratory } from '../subjects/laboratory.ts'
import { shuffled } from '../subjects/shuffled.ts'
import type { Subject } from '../subjects/subject.ts'
import type { Effort } from './effort.ts'
import { measurePipeline } from './measure-pipeline.ts'
import { warmFigures } from './warm-figures.ts'
import { type Row, startWarm, type WarmFunction } from './warm-function.ts'

/** Calls every function, ours and others, again and again, and tells what a call took. */
export const measureWarm = (): Promise<Figure[]> =>
  inLaboratory(async (laboratory) => {
    const { functions, surroundings, folder } = laboratory
    const rows = await rowsOf(laboratory, { rounds: 20, calls: 150, warmUp: 1000 })
    const effort = { processes: 3, rounds: 15, calls: 300, warmUp: 10_000 }
    const pipeline = await measurePipeline(functions.getPet, folder, surroundings, effort)
    return [...rows.flatMap(([subject, rows]) => warmFigures(subject.name, rows)), ...pipeline]
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
