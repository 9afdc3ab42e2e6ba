import { startContainer } from './container.ts'
import { createEvent, getEvent } from './events.ts'
import type { Exchange } from './requests.ts'
import { newKeyOf } from './stored.ts'

// More than there are faults in an order.
const MOST_ASKED = 100

/** Attempts of one client at one pet, at once and in functions of their own, which know the client's API key. */
export const startAttempts = (count: number, name: string) =>
  Promise.all(Array.from({ length: count }, () => startAttempt(name)))

const startAttempt = async (name: string) => {
  const container = await startContainer()
  const apiKey = await newKeyOf('ann')
  await container.call(getEvent(1, apiKey))
  const answers: Exchange['response'][] = []
  /** Asks until the answer is no 503. */
  const run = async (): Promise<void> => {
    do answers.push(await container.call(createEvent(name, apiKey, name)))
    while (answers.at(-1)?.status === 503 && answers.length < MOST_ASKED)
  }
  return { container, run, answers }
}
