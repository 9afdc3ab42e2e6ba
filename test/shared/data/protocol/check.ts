import { type Attempt, progressOf, RESERVATION } from './attempt.ts'
import { explore } from './explore.ts'
import { after, type CarryOut, carryOut, type World } from './world.ts'

/** Attempts at one intent, the ids that other pets have, and how many answers get lost. */
export type Scenario = { attempts: Attempt[]; taken: number[]; mayLose: number }

/**
 * Explores all that can happen in a scenario.
 *
 * @param carry how the database carries out a call
 * @returns how many moments there are, and the first thing found wrong in one
 */
export const check = async ({ attempts, taken, mayLose }: Scenario, carry: CarryOut = carryOut) => {
  const pets = Object.fromEntries(taken.map((id) => [id, { creation: 'another client' }]))
  const store = { reservation: null, pets }
  const first = { store, told: attempts.map(() => []), late: [], mayLose }
  let wrong: string | undefined
  const moments = await explore<World>(first, async (world) => {
    wrong ??= (await wrongNow(world, attempts)) ?? (await wrongAtTheEnd(world, carry))
    return wrong ? [] : after(world, attempts, carry)
  })
  return { moments, wrong }
}

/** What must hold at every moment. */
const wrongNow = async ({ store, told }: World, attempts: Attempt[]): Promise<string | undefined> => {
  const [first, second] = Object.entries(store.pets).filter(([, { reservation }]) => reservation === RESERVATION)
  if (second) return 'Two pets were made.'
  for (const [i, attempt] of attempts.entries()) {
    const progress = await progressOf(attempt, told[i] ?? [])
    if ('waitsFor' in progress) continue
    const isSame = store.reservation?.fingerprint === attempt.fingerprint
    if (progress.answers === 422 && isSame) return 'The same body was refused.'
    if (progress.answers === 422) continue
    if (first?.[0] !== `${progress.id}`) return 'An attempt was answered 201 for a pet that is not there.'
    if (first[1].fingerprint !== attempt.fingerprint) return 'An attempt was answered 201 for another body.'
    const isReplay = first[1].creation !== attempt.name
    if (progress.isReplay !== isReplay) return 'An attempt is wrong about who made the pet.'
  }
  return undefined
}

/** At every moment, one more attempt that nothing happens to must be answered 201. */
const wrongAtTheEnd = async (world: World, carry: CarryOut): Promise<string | undefined> => {
  let { store } = world
  const last = { name: 'last', fingerprint: store.reservation?.fingerprint ?? 'body', draws: [90, 91, 92] }
  const told: unknown[] = []
  for (;;) {
    const progress = await progressOf(last, told)
    if ('answers' in progress) {
      const isThere = 'id' in progress && store.pets[progress.id]?.reservation === RESERVATION
      return isThere ? undefined : 'A last attempt did not end with the pet.'
    }
    const carried = carry(store, progress.waitsFor)
    store = carried.store
    told.push(carried.result)
  }
}
