import { GetCommand } from '@aws-sdk/lib-dynamodb'
import { idempotencyKeyReused } from '../model/api-error.ts'
import { dynamodb, type Options, putIf } from './dynamodb.ts'
import { setting } from './tables.ts'

/** Who made a pet: a request, and the reservation that it made it for. Stored with the pet, never returned. */
export type Origin = { creation: string; reservation?: string | undefined }

/** How a pet comes to its id: the first to try, and another one where that belongs to another pet. */
export type Ids = { first: () => Promise<number>; insteadOf: (taken: number) => Promise<number> }

/** Where pets are kept, as who makes one sees it. */
export type Place<Item> = {
  /** Puts the pet there under this id, unless the id is taken. */
  write: (id: number) => Promise<boolean>
  /** What is there under this id; it sees all that was written before. */
  read: (id: number) => Promise<(Item & Partial<Origin>) | undefined>
}

/**
 * Makes a pet, once: requests are sent again by clients, and puts by the SDK, when their answer is lost, although
 * they may have taken effect. So a put that is refused looks whose pet is there.
 *
 * @returns the pet's id; and, where an earlier request has made it, what is there
 */
export const createOnce = async <Item>(origin: Origin, ids: Ids, place: Place<Item>) => {
  let id = await ids.first()
  for (;;) {
    if (await place.write(id)) return { id }
    const there = await place.read(id)
    if (there?.creation === origin.creation) return { id }
    if (origin.reservation && there?.reservation === origin.reservation) return { id, there }
    // Only a pet that is seen, and of another origin, is a reason to take another id.
    if (there) id = await ids.insteadOf(id)
  }
}

/** The pet that is to be made for an intent, and a digest of what the client sent of it. */
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
 * The ids of a pet that is made once, in however many requests: the first request reserves one, and the others,
 * at once or later, take the same.
 *
 * @throws ApiError 422 where another pet was asked for
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
    // Only from the id that is taken: two requests that each move it would make two pets.
    if (await store.move({ petId, fingerprint }, taken)) return petId
    return first()
  }
  return { first, insteadOf }
}

/** For how long an idempotency key is remembered. DynamoDB deletes later, by up to two days, hence the condition. */
const REMEMBERED_SECONDS = 24 * 60 * 60

/** The reservation of the intent that has the digest `intent`. */
export const reservationOf = (intent: string, options: Options): ReservationStore => {
  const TableName = setting('idempotencyKeysTable')
  const itemOf = (reservation: Reservation) => ({ intent, ...reservation, expiresAt: now() + REMEMBERED_SECONDS })
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
      return Item as Reservation | undefined // The document client types every item as `any`; `itemOf` makes them.
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
