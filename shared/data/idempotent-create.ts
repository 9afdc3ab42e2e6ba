import { GetCommand } from '@aws-sdk/lib-dynamodb'
import { idempotencyKeyReused } from '../model/api-error.ts'
import { dynamodb, type Options, putIf } from './dynamodb.ts'
import { setting } from './tables.ts'

/** Who created a pet: the request and, with an idempotency key, its reservation. Stored with the pet, never returned. */
export type Origin = { creation: string; reservation?: string | undefined }

/** The ids to try for a new pet: the first one, and the next if another pet has it. */
export type Ids = { first: () => Promise<number>; next: (taken: number) => Promise<number> }

/** How to store and read the pet under an id. */
type PetStore<Item> = {
  /** Stores the pet unless the id is in use, and returns whether it did. */
  write: (id: number) => Promise<boolean>
  /** Reads what is stored under the id (strongly consistent). */
  read: (id: number) => Promise<(Item & Partial<Origin>) | undefined>
}

/**
 * Creates a pet exactly once. Clients resend requests, and the SDK resends writes, when the response is lost, although
 * the write may have taken effect. So when the conditional write fails, read the item to see who wrote it.
 *
 * @returns the pet's id, and the stored item if an earlier request created it
 */
export const createOnce = async <Item>(origin: Origin, ids: Ids, pets: PetStore<Item>) => {
  let id = await ids.first()
  for (;;) {
    if (await pets.write(id)) return { id }
    const stored = await pets.read(id)
    if (stored?.creation === origin.creation) return { id }
    if (origin.reservation && stored?.reservation === origin.reservation) return { id, stored }
    // Try another id only when another pet is known to have this one. If nothing was read, try the same id again.
    if (stored) id = await ids.next(id)
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
  /** Replaces a reservation that has the id `taken` and the same fingerprint, and returns whether there was one. */
  move: (reservation: Reservation, taken: number) => Promise<boolean>
}

/**
 * The ids of a pet that is created with an idempotency key. The first request reserves an id; all other requests with
 * the key, concurrent or later, use the same one.
 *
 * @throws ApiError 422 if the key was used with another body
 */
export const reservedIds = (store: ReservationStore, newId: () => number, fingerprint: string): Ids => {
  const first = async (): Promise<number> => {
    for (;;) {
      const petId = newId()
      if (await store.reserve({ petId, fingerprint })) return petId
      const reserved = await store.read()
      if (reserved && reserved.fingerprint !== fingerprint) throw idempotencyKeyReused()
      // There is none if it expired in the meantime: reserve again.
      if (reserved) return reserved.petId
    }
  }
  const next = async (taken: number): Promise<number> => {
    const petId = newId()
    // Without the condition on the taken id, two concurrent requests could each store a pet under an id of their own.
    if (await store.move({ petId, fingerprint }, taken)) return petId
    return first()
  }
  return { first, next }
}

/** How long an idempotency key is valid. DynamoDB deletes expired items up to two days late, hence the condition. */
const VALID_SECONDS = 24 * 60 * 60

/**
 * The reservation that DynamoDB stores for an idempotency key.
 *
 * @param intent the digest of client, operation and key
 */
export const reservationStore = (intent: string, options: Options): ReservationStore => {
  const TableName = setting('idempotencyKeysTable')
  const itemOf = (reservation: Reservation) => ({ intent, ...reservation, expiresAt: now() + VALID_SECONDS })
  return {
    reserve: (reservation) =>
      putIf(
        {
          TableName,
          Item: itemOf(reservation),
          ConditionExpression: 'attribute_not_exists(intent) OR expiresAt <= :now',
          ExpressionAttributeValues: { ':now': now() },
        },
        options,
      ),
    read: async () => {
      const { Item } = await dynamodb.send(
        new GetCommand({ TableName, Key: { intent }, ConsistentRead: true }),
        options,
      )
      return Item as Reservation | undefined // The document client types every item as `any`; only `itemOf` creates them.
    },
    move: (reservation, taken) =>
      putIf(
        {
          TableName,
          Item: itemOf(reservation),
          ConditionExpression: 'petId = :taken AND fingerprint = :fingerprint',
          ExpressionAttributeValues: { ':taken': taken, ':fingerprint': reservation.fingerprint },
        },
        options,
      ),
  }
}

const now = (): number => Math.floor(Date.now() / 1000)
