import { fileURLToPath } from 'node:url'
import { storedLocalApiKey } from '../../../infra/local/api-key.ts'
import { answerTo, PET } from '../dynamodb/answers.ts'
import { tables } from '../dynamodb/tables.ts'
import type { Figure } from '../figure.ts'
import { median } from '../quantile.ts'
import type { Surroundings } from '../runtime/start-function.ts'
import { read } from '../subjects/calls.ts'
import type { Call, Subject } from '../subjects/subject.ts'
import { bundleFile } from './bundle-file.ts'
import type { Effort } from './effort.ts'
import { startWarm, type WarmFunction } from './warm-function.ts'

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
  const bundle = bundleFile(fileURLToPath(new URL('pipeline.ts', import.meta.url)), folder)
  const around: number[] = []
  const alone: number[] = []
  for (let i = 0; i < processes; i++) {
    const warm = await startWarm({ ...getPet, folder: bundle, alsoRight: [] }, surroundings, withoutNetwork)
    try {
      alone.push(...(await differences(warm, 'pipeline', 'nothing', effort)))
      around.push(...(await differences(warm, 'whole', 'bare', effort)))
    } finally {
      await warm.stop()
    }
  }
  return [figure('pipeline of getPet', median(around)), figure('pipeline of getPet, alone', median(alone))]
}

const figure = (of: string, value: number): Figure => ({ table: 'warm', of, name: 'CPU', unit: 'µs', value })

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

const found = (TableName: string, Key: Record<string, Record<string, string>>): string =>
  JSON.stringify(answerTo('GetItem', { TableName, Key }))

const answers = {
  [tables.API_KEYS_TABLE]: found(tables.API_KEYS_TABLE, { digest: { S: storedLocalApiKey.digest } }),
  [tables.PETS_TABLE]: found(tables.PETS_TABLE, { id: { N: `${PET.id}` } }),
}

const withoutNetwork = {
  file: 'warm/client-without-network.cjs',
  env: { AWS_ENDPOINT_URL_DYNAMODB: 'http://localhost', BENCH_ANSWERS: JSON.stringify(answers) },
}
