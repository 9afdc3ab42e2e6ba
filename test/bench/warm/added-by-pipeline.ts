import { fileURLToPath } from 'node:url'
import { median } from '../quantile.ts'
import type { Surroundings } from '../runtime/start-function.ts'
import { read } from '../subjects/calls.ts'
import { entryOf } from '../subjects/entry-of.ts'
import type { Call, Subject } from '../subjects/subject.ts'
import type { Effort } from './effort.ts'
import { startWarm } from './warm-function.ts'

const bareRead: Call = {
  ...read,
  event: JSON.stringify({ ...JSON.parse(read.event), stageVariables: { bench: 'bare' } }),
}

/**
 * How many microseconds of CPU a call of getPet takes more than one of `pets.find` and JSON alone: what Middy, the key
 * check, validation and the log add. Both run in one process, in turns.
 *
 * @param bareFolder the bundle of `bare-get-pet.ts`
 */
export const addedByPipeline = async (
  getPet: Subject,
  bareFolder: string,
  surroundings: Surroundings,
  { rounds, calls, warmUp }: Effort,
): Promise<number> => {
  const environment = { ...getPet.environment, BENCH_WHOLE: entryOf(getPet.folder), BENCH_BARE: entryOf(bareFolder) }
  const folder = fileURLToPath(new URL('both', import.meta.url))
  const both = await startWarm({ ...getPet, folder, environment, alsoRight: [] }, surroundings)
  try {
    await both.calls(warmUp, read)
    await both.calls(warmUp, bareRead)
    const differences: number[] = []
    for (let round = 0; round < rounds; round++) {
      const whole = await both.calls(calls, read)
      const bare = await both.calls(calls, bareRead)
      differences.push(whole.cpu - bare.cpu)
    }
    return median(differences)
  } finally {
    await both.stop()
  }
}
