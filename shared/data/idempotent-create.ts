import { GetCommand } from '@aws-sdk/lib-dynamodb'
import { idempotencyKeyReused } from '../model/api-error.ts'
import { newId } from '../model/id.ts'
import { dynamodb, type Options, putIf } from './dynamodb.ts'
import { tableName } from './tables.ts'

/** How an item was created: by which request and, with an idempotency key, by which reservation. Never returned. */
export type Origin = { creation: string; reservation?: string | undefined }

/** An id for a new item. `isNew` if this request chose it just now, so that no earlier request can have used it. */
type Candidate = { id: number; isNew: boolean }

/** The ids to try for a new item. */
type Ids = {
  /** The id that this request, or an earlier one with the same intent, has chosen. */
  claim: () => Promise<Candidate>
  /** Reserves an id for another 24 hours, and returns whether it was still reserved. */
  extend: (id: number) => Promise<boolean>
  /** The id to try when another item has this one. */
  next: (taken: number) => Promise<Candidate>
}

/** How to store and read the item under an id. Each function is one atomic request to DynamoDB. */
type ItemStore = {
  /** Stores the item unless the id is in use, and returns whether it did. */
  write: (id: number) => Promise<boolean>
  /** Reads how the item was created, also if it was deleted (strongly consistent). */
  read: (id: number) => Promise<Partial<Origin> | undefined>
}

/**
 * Creates an item exactly once, and returns its id, and whether an earlier request created it. Clients resend requests,
 * and the SDK resends writes, when the response is lost, although the write may have taken effect. So when an id may be
 * in use, read the item to see who wrote it.
 */
export const createOnce = async (origin: Origin, ids: Ids, items: ItemStore) => {
  let candidate = await ids.claim()
  for (;;) {
    const { id, isNew } = candidate
    const stored = isNew ? undefined : await items.read(id)
    if (stored?.creation === origin.creation) return { id, isReplay: false }
    if (stored && origin.reservation && stored.reservation === origin.reservation) return { id, isReplay: true }
    if (stored) candidate = await ids.next(id)
    else if (!isNew && !(await ids.extend(id))) candidate = await ids.claim()
    else if (await items.write(id)) return { id, isReplay: false }
    else candidate = { id, isNew: false }
  }
}

const fresh = async (): Promise<Candidate> => ({ id: newId(), isNew: true })

/** The ids of an item that is created without an idempotency key. */
export const freshIds: Ids = { claim: fresh, extend: async () => true, next: fresh }

/** The id that an idempotency key reserves, and a digest of the request body. */
export type Reservation = { id: number; fingerprint: string }

/** How to store and read the reservation of one idempotency key. Each function is one atomic request to DynamoDB. */
type ReservationStore = {
  /** Stores the reservation unless there is one, and returns whether it did. */
  reserve: (reservation: Reservation) => Promise<boolean>
  /** Reads the reservation (strongly consistent). */
  read: () => Promise<Reservation | undefined>
  /** Replaces a reservation of `id` that has the same fingerprint, and returns whether there was one. */
  replace: (id: number, reservation: Reservation) => Promise<boolean>
}

/**
 * The ids of an item that is created with an idempotency key. The first request reserves an id that `draw` generates,
 * which is probably free; all other requests with the key, concurrent or later, use the same one. Throws an ApiError
 * 422 if the key was used with another body.
 */
export const reservedIds = (store: ReservationStore, draw: () => number, fingerprint: string): Ids => {
  const claim = async (): Promise<Candidate> => {
    for (;;) {
      const id = draw()
      if (await store.reserve({ id, fingerprint })) return { id, isNew: true }
      const reserved = await store.read()
      if (reserved && reserved.fingerprint !== fingerprint) throw idempotencyKeyReused()
      // There is none if it expired in the meantime: reserve again.
      if (reserved) return { id: reserved.id, isNew: false }
    }
  }
  return {
    claim,
    // Without this, a reservation whose writer died could expire between two retries, and each would create an item. The
    // reservation of an existing item is not extended, because it must end before the item's tombstone does.
    extend: (id) => store.replace(id, { id, fingerprint }),
    next: async (taken) => {
      const id = draw()
      // Without the condition on the taken id, two concurrent requests could each store an item under an id of their own.
      if (await store.replace(taken, { id, fingerprint })) return { id, isNew: true }
      return claim()
    },
  }
}

/** How long an idempotency key is valid. DynamoDB deletes expired items up to two days late, hence the conditions. */
export const VALID_SECONDS = 24 * 60 * 60

/**
 * The reservation that DynamoDB stores for an intent, by its digest. The id is stored as `petId`, of whatever resource:
 * a renamed attribute would make retries during a release create a second item.
 */
export const reservationStore = (intent: string, options: Options): ReservationStore => {
  const TableName = tableName('idempotencyKeys')
  const put = ({ id, fingerprint }: Reservation, ConditionExpression: string, values: object = {}) => {
    const Item = { intent, petId: id, fingerprint, expiresAt: nowInSeconds() + VALID_SECONDS }
    const ExpressionAttributeValues = { ':now': nowInSeconds(), ...values }
    return putIf({ TableName, Item, ConditionExpression, ExpressionAttributeValues }, options)
  }
  return {
    reserve: (reservation) => put(reservation, 'attribute_not_exists(intent) OR expiresAt <= :now'),
    read: async () => {
      const get = new GetCommand({ TableName, Key: { intent }, ConsistentRead: true })
      const { Item } = await dynamodb.send(get, options)
      return Item && { id: Item.petId, fingerprint: Item.fingerprint }
    },
    replace: (id, reservation) =>
      put(reservation, 'petId = :id AND fingerprint = :fingerprint AND expiresAt > :now', {
        ':id': id,
        ':fingerprint': reservation.fingerprint,
      }),
  }
}

/** The current time in seconds since 1970, as `expiresAt` has it. */
export const nowInSeconds = (): number => Math.floor(Date.now() / 1000)
