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

/** DynamoDB stores items of 400 KB. The rest of a reservation has less than 2 KB. */
const LONGEST_BODY_BYTES = 398 * 1024

/**
 * Does the work once for each intent, and stores its response in the same transaction. A later
 * request with this intent gets that response (`isReplay`). Throws an ApiError 422 if the intent
 * was that of another request, and an Error if the response is too long to be stored.
 */
export const doOnce = async (
  tx: Transaction,
  intent: Intent | undefined,
  work: () => Promise<Success>,
): Promise<Success & { isReplay: boolean }> => {
  if (!intent) return { ...(await work()), isReplay: false }
  const earlier = await earlierSuccess(tx, intent)
  if (earlier) return { ...earlier, isReplay: true }
  const success = await work()
  reserve(tx, intent, success)
  return { ...success, isReplay: false }
}

const earlierSuccess = async (tx: Transaction, intent: Intent): Promise<Success | undefined> => {
  const reservation = await tx.read(reservationKey(intent))
  if (!reservation || Number(reservation.expiresAt) <= now()) return undefined
  if (reservation.request !== intent.request) throw idempotencyKeyReused()
  const { status, body, tag, location } = reservation as Item & Success // As `reserve` wrote it.
  return { status, body, tag, location }
}

const reserve = (tx: Transaction, intent: Intent, success: Success): void => {
  const { operation, request } = intent
  const bytes = Buffer.byteLength(success.body)
  if (bytes > LONGEST_BODY_BYTES)
    throw new Error(
      `A response of ${operation} has ${bytes} bytes. To be stored, it may have ${LONGEST_BODY_BYTES}.`,
    )
  tx.put(reservationKey(intent), { request, ...success, expiresAt: now() + VALID_SECONDS })
}

const reservationKey = (intent: Intent): Key => ({
  table: 'idempotencyKeys',
  value: intentDigest(intent),
})

const now = (): number => Math.floor(Date.now() / 1000)
