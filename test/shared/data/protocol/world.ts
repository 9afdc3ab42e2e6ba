import type { Reservation } from '../../../../shared/data/idempotent-create.ts'
import { type Attempt, type Call, progressOf, RESERVATION, type Write } from './attempt.ts'

type Pet = { creation: string; reservation?: string; fingerprint?: string }

/** What is stored. */
export type Store = { reservation: Reservation | null; pets: Record<number, Pet> }

/**
 * A moment: what is stored, what each attempt has been told so far (`null`: it has crashed), the writes that may yet
 * take effect though nobody waits for them, and how many answers may still get lost.
 */
export type World = { store: Store; told: (unknown[] | null)[]; late: Write[]; mayLose: number }

/** Carries out a call as the database does, at once and whole: its result, and what is stored afterwards. */
export type CarryOut = (store: Store, call: Call) => { result: unknown; store: Store }

/** As DynamoDB does it, with the conditions of `shared/data`. Reads are strongly consistent. */
export const carryOut: CarryOut = (store, call) => {
  if (call.do === 'readReservation') return { result: store.reservation, store }
  if (call.do === 'read') return { result: store.pets[call.id] ?? null, store }
  return holds(store, call) ? { result: true, store: put(store, call) } : { result: false, store }
}

/** Whether the condition of a write holds. */
const holds = ({ reservation, pets }: Store, call: Write): boolean => {
  if (call.do === 'reserve') return !reservation
  if (call.do === 'write') return !pets[call.id]
  return reservation?.petId === call.from && reservation.fingerprint === call.reservation.fingerprint
}

/** What is stored after a write, whatever its condition says. */
export const put = ({ reservation, pets }: Store, call: Write): Store => {
  if (call.do !== 'write') return { reservation: call.reservation, pets }
  const { id, creation, fingerprint } = call
  return { reservation, pets: { ...pets, [id]: { creation, reservation: RESERVATION, fingerprint } } }
}

/** Every moment that one event leads to. */
export const after = async (world: World, attempts: Attempt[], carry: CarryOut): Promise<World[]> => {
  const late = world.late.map((call, i) => {
    const { store } = carry(world.store, call)
    return { ...world, store, late: world.late.toSpliced(i, 1) }
  })
  const steps = attempts.map(async (attempt, i) => {
    const told = world.told[i]
    const progress = told && (await progressOf(attempt, told))
    return progress && 'waitsFor' in progress ? stepsOf(world, i, progress.waitsFor, carry) : []
  })
  return [...late, ...(await Promise.all(steps)).flat()]
}

/** What becomes of the call that an attempt waits for. */
const stepsOf = (world: World, i: number, call: Call, carry: CarryOut): World[] => {
  const { result, store } = carry(world.store, call)
  const answered = { ...world, store, told: world.told.with(i, [...(world.told[i] ?? []), result]) }
  const crashed = { ...world, told: world.told.with(i, null) }
  if (call.do === 'read' || call.do === 'readReservation') return [answered, crashed]
  // A write whose answer nobody gets may take effect, at any moment, or never: the attempt has crashed, or the SDK sends
  // it again.
  const late = [...world.late, call].sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))
  const sentAgain = world.mayLose > 0 ? [{ ...world, late, mayLose: world.mayLose - 1 }] : []
  return [answered, { ...crashed, late }, ...sentAgain]
}
