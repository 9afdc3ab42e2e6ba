import { idempotencyKeyReused } from '../model/api-error.ts'
import type { Ids } from './create-once.ts'

/** The animal that is to be made for an intent, and a digest of what the client sent of it. */
export type Reservation = { petId: number; fingerprint: string }

/** Where the reservation of one intent is kept. Each of these is one call of the database, and takes effect or not. */
export type ReservationStore = {
  /** Reserves, unless something is reserved already. */
  reserve: (reservation: Reservation) => Promise<boolean>
  /** What is reserved; it sees every reservation that was made before. */
  read: () => Promise<Reservation | undefined>
  /** Makes the reservation one of another id, unless it is no longer one of `from`. */
  move: (reservation: Reservation, from: number) => Promise<boolean>
}

/**
 * The ids of an animal that is made once, in however many requests: the first request reserves one, and the others,
 * at once or later, take the same.
 *
 * @throws ApiError 422 where another animal was asked for
 */
export const reservedIds = (store: ReservationStore, newId: () => number, fingerprint: string): Ids => {
  const first = async (): Promise<number> => {
    for (;;) {
      const petId = newId()
      if (await store.reserve({ petId, fingerprint })) return petId
      const reserved = await store.read()
      if (reserved && reserved.fingerprint !== fingerprint) throw idempotencyKeyReused()
      // Nothing is there where it expired in between.
      if (reserved) return reserved.petId
    }
  }
  const insteadOf = async (taken: number): Promise<number> => {
    const petId = newId()
    // Only from the id that is taken: two requests that each move it would make two animals.
    if (await store.move({ petId, fingerprint }, taken)) return petId
    return first()
  }
  return { first, insteadOf }
}
