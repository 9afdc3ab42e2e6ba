import { fileURLToPath } from 'node:url'
import { bundledAsOurs, bundleFile } from '../bundle-file.ts'
import { type Figure, rowOf } from '../figure.ts'
import { median } from '../quantile.ts'
import type { Surroundings } from '../runtime/start-function.ts'
import { read } from '../subjects/calls.ts'
import type { Call, Subject } from '../subjects/subject.ts'
import type { Effort } from './effort.ts'
import { startWarm, type WarmFunction } from './warm-function.ts'
import { withoutNetwork } from './without-network.ts'

/**
 * Measures what Middy, the key check, validation and the log add to a call: the CPU of getPet less that of `pets.find`
 * and JSON, in one process, in turns, and without a network. Likewise with nothing in the place of `pets.find`: then the
 * pipeline's code and data are still in the caches of the CPU, which a call of the SDK takes from them.
 *
 * @param folder gets the bundle that has them all
 * @param processes how many times it is measured in a new process: each compiles the code its own way
 */
export const measurePipeline = async (
  getPet: Subject,
  folder: string,
  surroundings: Surroundings,
  { processes, ...effort }: Effort & { processes: number },
): Promise<Figure[]> => {
  const bundle = await bundleFile(PIPELINE, folder, bundledAsOurs)
  const pipeline = { ...getPet, folder: bundle, handler: 'index.handler', alsoRight: [] }
  const around: number[] = []
  const alone: number[] = []
  for (let i = 0; i < processes; i++) {
    const warm = await startWarm(pipeline, surroundings, withoutNetwork)
    try {
      alone.push(...(await differences(warm, 'pipeline', 'nothing', effort)))
      around.push(...(await differences(warm, 'whole', 'bare', effort)))
    } finally {
      await warm.stop()
    }
  }
  return [
    rowOf('warm', 'pipeline of getPet')('CPU', 'µs', median(around)),
    rowOf('warm', 'pipeline of getPet, alone')('CPU', 'µs', median(alone)),
  ]
}

const PIPELINE = fileURLToPath(new URL('pipeline.ts', import.meta.url))

/** How many microseconds of CPU a call of one handler takes more than one of another, again and again. */
const differences = async (
  warm: WarmFunction,
  one: string,
  other: string,
  { rounds, calls, warmUp }: Effort,
): Promise<number[]> => {
  const cpuOf = async (handler: string, times = calls) => (await warm.calls(times, callOf(handler))).cpu
  await cpuOf(one, warmUp)
  await cpuOf(other, warmUp)
  const found: number[] = []
  for (let round = 0; round < rounds; round++) {
    // One between two halves of the other, so that a machine that gets slower meanwhile favours neither.
    const before = await cpuOf(other)
    const between = await cpuOf(one, calls * 2)
    found.push(between - (before + (await cpuOf(other))) / 2)
  }
  return found
}

const callOf = (handler: string): Call => ({
  ...read,
  event: JSON.stringify({ ...JSON.parse(read.event), stageVariables: { handler } }),
})
