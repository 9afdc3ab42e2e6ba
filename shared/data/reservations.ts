import { idempotencyKeyReused } from '../model/api-error.ts'
import { type Intent, intentDigest } from '../model/idempotency-key.ts'
import type { Item, Key } from './database.ts'
import type { Transaction } from './transaction.ts'

/** The response of a success, as it is stored: its location is a path below the base address. */
export type Success = {
  status: number
  body: string
  tag?: string | undefined
  location?: string | undefined
}

/** How long an idempotency key is valid. DynamoDB deletes expired items up to two days late. */
const VALID_SECONDS = 24 * 60 * 60

/**
 * The response to an earlier request with this intent; `undefined` if there was none. Throws an
 * ApiError 422 if the intent was that of another request.
 */
export const earlierSuccess = async (
  tx: Transaction,
  intent: Intent,
): Promise<Success | undefined> => {
  const reservation = await tx.read(reservationKey(intent))
  if (!reservation || Number(reservation.expiresAt) <= now()) return undefined
  if (reservation.request !== intent.request) throw idempotencyKeyReused()
  const { status, body, tag, location } = reservation as Item & Success // As `reserve` wrote it.
  return { status, body, tag, location }
}

/** Stores the response in the same transaction, for later requests with this intent. */
export const reserve = (tx: Transaction, intent: Intent, success: Success): void =>
  tx.put(reservationKey(intent), {
    request: intent.request,
    ...success,
    expiresAt: now() + VALID_SECONDS,
  })

const reservationKey = (intent: Intent): Key => ({
  table: 'idempotencyKeys',
  value: intentDigest(intent),
})

const now = (): number => Math.floor(Date.now() / 1000)
