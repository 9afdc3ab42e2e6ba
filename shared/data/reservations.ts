import { idempotencyKeyReused } from '../model/api-error.ts'
import { type Intent, intentDigest } from '../model/idempotency-key.ts'
import type { Item, Key } from './database.ts'
import type { Transaction } from './transaction.ts'

/**
 * What a function has decided on: a response, whose location is a path below the base address.
 * Only a list, which is not stored, has a link.
 */
export type Decision = {
  status: number
  body: string
  tag?: string | undefined
  location?: string | undefined
  link?: string | undefined
}

/** How long an idempotency key is valid. DynamoDB deletes expired items up to two days late. */
const VALID_SECONDS = 24 * 60 * 60

/**
 * What was decided for this intent before; `undefined` if nothing was. Throws an ApiError 422 if
 * the intent was that of another request.
 */
export const earlierDecision = async (
  tx: Transaction,
  intent: Intent,
): Promise<Decision | undefined> => {
  const reservation = await tx.read(reservationKey(intent))
  if (!reservation || Number(reservation.expiresAt) <= now()) return undefined
  if (reservation.request !== intent.request) throw idempotencyKeyReused()
  const { status, body, tag, location } = reservation as Item & Decision // As `reserve` wrote it.
  return { status, body, tag, location }
}

/** Stores what was decided in the same transaction, for later requests with this intent. */
export const reserve = (
  tx: Transaction,
  intent: Intent,
  { status, body, tag, location }: Decision,
): void => {
  const expiresAt = now() + VALID_SECONDS
  tx.put(reservationKey(intent), {
    request: intent.request,
    status,
    body,
    tag,
    location,
    expiresAt,
  })
}

const reservationKey = (intent: Intent): Key => ({
  table: 'idempotencyKeys',
  value: intentDigest(intent),
})

const now = (): number => Math.floor(Date.now() / 1000)
