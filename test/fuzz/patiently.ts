import { setTimeout as pause } from 'node:timers/promises'
import type { Received } from '../support/http.ts'

const MOST_TRIES = 5

/**
 * The answer to a request, which is sent again after a 503, as clients are told to: on a machine that is busy with other
 * work, the database may take longer than its budget. What is a 503 each time is something else.
 *
 * @param onBusy called for each 503 that is not the last
 */
export const patiently = async (send: () => Promise<Received>, onBusy: () => void): Promise<Received> => {
  for (let tries = 1; ; tries++) {
    const answer = await send()
    if (answer.status !== 503 || tries === MOST_TRIES) return answer
    onBusy()
    await pause(1000 * Number(answer.headers['retry-after']))
  }
}
