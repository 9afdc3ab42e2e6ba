import { GetCommand } from '@aws-sdk/lib-dynamodb'
import { idempotencyKeyReused } from '../model/api-error.ts'
import { dynamodb, type Options, putIf } from './dynamodb.ts'
import { tableName } from './tables.ts'

/** Who created a pet: the request and, with an idempotency key, its reservation. Stored with the pet, never returned. */
export type Origin = { creation: string; reservation?: string | undefined }

/** An id for a new pet. `isFree` if this request chose it just now, so that no earlier request can have used it. */
type Candidate = { id: number; isFree: boolean }

/** The ids to try for a new pet. */
export type Ids = {
  first: () => Promise<Candidate>
  /** Reserves an id for another 24 hours, and returns whether it was still reserved. */
  extend: (id: number) => Promise<boolean>
  /** The id to try when another pet has this one. */
  next: (taken: number) => Promise<Candidate>
}

/** How to store and read the pet under an id. Each function is one atomic request to DynamoDB. */
type PetStore = {
  /** Stores the pet unless the id is in use, and returns whether it did. */
  write: (id: number) => Promise<boolean>
  /** Reads who created the pet, also if it was deleted (strongly consistent). */
  read: (id: number) => Promise<Partial<Origin> | undefined>
}

/**
 * Creates a pet exactly once. Clients resend requests, and the SDK resends writes, when the response is lost, although
 * the write may have taken effect. So when an id may be in use, read the item to see who wrote it.
 *
 * @returns the pet's id, and whether an earlier request created it
 */
export const createOnce = async (origin: Origin, ids: Ids, pets: PetStore) => {
  let { id, isFree } = await ids.first()
  for (;;) {
    const stored = isFree ? undefined : await pets.read(id)
    if (stored?.creation === origin.creation) return { id, isReplay: false }
    if (stored && origin.reservation && stored.reservation === origin.reservation) return { id, isReplay: true }
    if (stored) {
      ;({ id, isFree } = await ids.next(id))
    } else if (isFree || (await ids.extend(id))) {
      if (await pets.write(id)) return { id, isReplay: false }
      isFree = false
    } else {
      ;({ id, isFree } = await ids.first())
    }
  }
}

/** The id that an idempotency key reserves, and a digest of the request body. */
export type Reservation = { petId: number; fingerprint: string }

/** How to store and read the reservation of one idempotency key. Each function is one atomic request to DynamoDB. */
type ReservationStore = {
  /** Stores the reservation unless there is one, and returns whether it did. */
  reserve: (reservation: Reservation) => Promise<boolean>
  /** Reads the reservation (strongly consistent). */
  read: () => Promise<Reservation | undefined>
  /** Replaces a reservation of the id `petId` that has the same fingerprint, and returns whether there was one. */
  replace: (petId: number, reservation: Reservation) => Promise<boolean>
}

/**
 * The ids of a pet that is created with an idempotency key. The first request reserves an id; all other requests with
 * the key, concurrent or later, use the same one.
 *
 * @throws ApiError 422 if the key was used with another body
 */
export const reservedIds = (store: ReservationStore, newId: () => number, fingerprint: string): Ids => {
  const first = async (): Promise<Candidate> => {
    for (;;) {
      const petId = newId()
      if (await store.reserve({ petId, fingerprint })) return { id: petId, isFree: true }
      const reserved = await store.read()
      if (reserved && reserved.fingerprint !== fingerprint) throw idempotencyKeyReused()
      // There is none if it expired in the meantime: reserve again.
      if (reserved) return { id: reserved.petId, isFree: false }
    }
  }
  return {
    first,
    // Without this, a reservation whose writer died could expire between two retries, and each would create a pet. The
    // reservation of an existing pet is not extended, because it must end before the pet's tombstone does.
    extend: (petId) => store.replace(petId, { petId, fingerprint }),
    next: async (taken) => {
      const petId = newId()
      // Without the condition on the taken id, two concurrent requests could each store a pet under an id of their own.
      if (await store.replace(taken, { petId, fingerprint })) return { id: petId, isFree: true }
      return first()
    },
  }
}

/** How long an idempotency key is valid. DynamoDB deletes expired items up to two days late, hence the conditions. */
export const VALID_SECONDS = 24 * 60 * 60

/**
 * The reservation that DynamoDB stores for an idempotency key.
 *
 * @param intent the digest of client, operation and key
 */
export const reservationStore = (intent: string, options: Options): ReservationStore => {
  const TableName = tableName('idempotencyKeys')
  const put = (reservation: Reservation, ConditionExpression: string, values: object = {}) => {
    const Item = { intent, ...reservation, expiresAt: nowInSeconds() + VALID_SECONDS }
    const ExpressionAttributeValues = { ':now': nowInSeconds(), ...values }
    return putIf({ TableName, Item, ConditionExpression, ExpressionAttributeValues }, options)
  }
  return {
    reserve: (reservation) => put(reservation, 'attribute_not_exists(intent) OR expiresAt <= :now'),
    read: async () => {
      const { Item } = await dynamodb.send(
        new GetCommand({ TableName, Key: { intent }, ConsistentRead: true }),
        options,
      )
      return Item as Reservation | undefined // The document client types every item as `any`; only `put` creates them.
    },
    replace: (petId, reservation) =>
      put(reservation, 'petId = :petId AND fingerprint = :fingerprint AND expiresAt > :now', {
        ':petId': petId,
        ':fingerprint': reservation.fingerprint,
      }),
  }
}

/** The current time in seconds since 1970, as `expiresAt` has it. */
export const nowInSeconds = (): number => Math.floor(Date.now() / 1000)
