import { CommandError } from '../../../infra/command-line.ts'
import { type Surroundings, startFunction } from '../runtime/start-function.ts'
import { checkAnswer } from '../subjects/check-answer.ts'
import type { Subject } from '../subjects/subject.ts'
import { startRuntimeApi } from './runtime-api.ts'

/** One start: milliseconds until ready, of the first call, and of CPU for both; and megabytes resident after it. */
export type ColdStart = { load: number; call: number; cpu: number; memory: number }

/** Starts a function, and calls it once. Throws where its answer is not right. */
export const coldStart = async (subject: Subject, surroundings: Surroundings): Promise<ColdStart> => {
  const api = await startRuntimeApi()
  const env = { AWS_LAMBDA_RUNTIME_API: api.address, BENCH_EVENT: subject.call.event }
  const { failed, stop } = startFunction(subject, surroundings, { file: 'cold/client.cjs', channel: 'ignore', env })
  try {
    const { isError, body } = await Promise.race([api.answered, failed])
    if (isError) throw new CommandError(`${subject.name} failed: ${body}`)
    const { figures, answer } = JSON.parse(body)
    checkAnswer(subject, subject.call, answer)
    return figures
  } finally {
    await stop()
    api.close()
  }
}
