import { idempotencyKeyReused } from '../model/api-error.ts'
import { fingerprintOf, type Intent, intentDigest } from '../model/idempotency-key.ts'
import type { Key, Transaction } from './transaction.ts'

/** How long an idempotency key is valid. DynamoDB deletes expired items up to two days late. */
const VALID_SECONDS = 24 * 60 * 60

/** The key of what an intent reserves, for a transaction that reads it together with other items; none without an intent. */
export const reservationKeys = (intent?: Intent): Key[] =>
  intent ? [{ table: 'idempotencyKeys', value: intentDigest(intent) }] : []

/**
 * Reserves an `id` for an intent to create a resource of `values`, in the transaction that creates it. If there is such a
 * resource already, returns its reservation instead: its id, and its first revision. Throws an ApiError 422 if the intent
 * was used for other values.
 */
export const reserve = async (open: Transaction, intent: Intent | undefined, id: number, values: object) => {
  const [key] = reservationKeys(intent)
  if (!key) return undefined
  const [reservation] = await open.read(key)
  const fingerprint = fingerprintOf(values)
  const now = Math.floor(Date.now() / 1000)
  if (!reservation || Number(reservation.expiresAt) <= now) {
    open.put(key, { intent: key.value, id, fingerprint, expiresAt: now + VALID_SECONDS })
    return undefined
  }
  if (reservation.fingerprint !== fingerprint) throw idempotencyKeyReused()
  return reservation
}
