import { idempotencyKeyReused } from '../model/api-error.ts'
import { isExpired, secondsFromNow } from '../model/expiry.ts'
import { type KeyedRequest, reservationId } from '../model/idempotency-key.ts'
import type { Item, Key } from './database.ts'
import type { Transaction } from './transaction.ts'

/**
 * What a function has decided on: a response, whose location is a path below the base address.
 * Only a list, which is not stored, has a link.
 */
export type Decision = {
  status: number
  body: string
  etag?: string | undefined
  location?: string | undefined
  link?: string | undefined
}

const VALID_SECONDS = 24 * 60 * 60

/**
 * The decision on an earlier request with this idempotency key; `undefined` if there is none.
 * Throws an ApiError 422 if that was another request.
 */
export const earlierDecision = async (
  tx: Transaction,
  keyed: KeyedRequest,
): Promise<Decision | undefined> => {
  const reservation = await tx.read(reservationKey(keyed))
  if (!reservation || isExpired(reservation.expiresAt)) return undefined
  if (reservation.request !== keyed.request) throw idempotencyKeyReused()
  const { status, body, etag, location } = reservation as Item & Decision // As `reserve` wrote it.
  return { status, body, etag, location }
}

/** Reserves the idempotency key for a decision: each retry gets the same response. */
export const reserve = (
  tx: Transaction,
  keyed: KeyedRequest,
  { status, body, etag, location }: Decision,
): void => {
  const expiresAt = secondsFromNow(VALID_SECONDS)
  const { request } = keyed
  tx.put(reservationKey(keyed), { request, status, body, etag, location, expiresAt })
}

const reservationKey = (keyed: KeyedRequest): Key => ({
  table: 'idempotencyKeys',
  value: reservationId(keyed),
})
