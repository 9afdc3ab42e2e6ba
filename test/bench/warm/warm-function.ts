import { once } from 'node:events'
import { CommandError } from '../../../infra/command-line.ts'
import { type Surroundings, startFunction } from '../runtime/start-function.ts'
import { checkAnswer } from '../subjects/check-answer.ts'
import type { Call, Subject } from '../subjects/subject.ts'

/** Calls in a row, in microseconds: how long each took, and how much CPU one took in the mean. */
export type Row = { microseconds: number[]; cpu: number }

/** A function that stays, to be called again and again. */
export type WarmFunction = {
  subject: Subject
  /** Throws where the last answer is not right. */
  calls: (times: number, call?: Call) => Promise<Row>
  stop: () => Promise<void>
}

/** Starts a function, and makes sure that it does all that it has to. `file` and `env` are those of `startFunction`. */
export const startWarm = async (
  subject: Subject,
  surroundings: Surroundings,
  { file = 'warm/client.cjs', env = {} } = {},
): Promise<WarmFunction> => {
  const { child, failed, stop } = startFunction(subject, surroundings, { file, channel: 'ipc', env })
  const calls = async (times: number, call = subject.call): Promise<Row> => {
    child.send({ event: call.event, times })
    const [{ error, answer, ...row }] = await Promise.race([once(child, 'message'), failed])
    if (error) throw new CommandError(`${subject.name} failed: ${error}`)
    checkAnswer(subject, call, answer)
    return row
  }
  try {
    for (const call of subject.alsoRight) await calls(1, call)
  } catch (error) {
    await stop()
    throw error
  }
  return { subject, calls, stop }
}
