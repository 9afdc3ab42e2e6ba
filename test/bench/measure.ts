import { availableParallelism, cpus, totalmem } from 'node:os'
import { measureCapacity } from './capacity.ts'
import { measureCold } from './cold.ts'
import { startDynamoDb } from './dynamodb.ts'
import type { Host } from './lambda.ts'
import { reachOf } from './reach.ts'
import type { Run } from './report.ts'
import type { Subjects } from './subjects.ts'
import { measureWarm } from './warm.ts'

/**
 * Measures the functions.
 *
 * @param starts how often each function is started, and for how many rounds it is called
 * @param folder gets temporary files
 */
export const measure = async (
  { cold, warm, dynamodb: counted }: Subjects,
  { runtimeClient, starts, folder }: Pick<Host, 'runtimeClient'> & { starts: number; folder: string },
): Promise<Run> => {
  const dynamodb = await startDynamoDb(folder)
  const host = { runtimeClient, dynamodb }
  try {
    const figures = [
      ...(await measureCold(cold, host, starts)),
      ...(await measureWarm(warm, host, starts)),
      ...(await measureCapacity(counted, host)),
    ]
    return { machine: machine(), figures, reach: reachOf(figures) }
  } finally {
    dynamodb.stop()
  }
}

const machine = (): string => {
  const memory = Math.round(totalmem() / 1e9)
  return `${availableParallelism()} cores of ${cpus()[0]?.model.trim()}, ${memory} GB of memory, Node.js ${process.version}`
}
